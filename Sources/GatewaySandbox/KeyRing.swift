import GatewayBase
import GatewayCrypto

/// The sandbox's keys: those of the served set, which of them signs, and one that no set ever holds.
struct KeyRing: Sendable {
  /// In the order of the set, oldest first: as many as Apple serves.
  private(set) var keys: [RSASigningKey]
  private var signing: Int
  private let foreign: RSASigningKey

  /// How many keys a ring is made of.
  static let size = 3

  /// - Parameters:
  ///   - keys: as many as `size`.
  ///   - foreign: the key that is not served.
  init(keys: [RSASigningKey], foreign: RSASigningKey) {
    precondition(keys.count == Self.size)
    self.keys = keys
    self.foreign = foreign
    // Not the first: a verifier that takes any key instead of the one that `kid` names must be found out.
    signing = 1
  }

  /// The key that signs what asks for none.
  var current: RSASigningKey { keys[signing] }

  func key(_ choice: KeyChoice) -> RSASigningKey {
    switch choice {
    case .current: current
    case .first: keys[0]
    case .second: keys[1]
    case .third: keys[2]
    case .foreign: foreign
    }
  }

  /// A new key joins and signs from now on; the oldest leaves.
  mutating func rotate(to key: RSASigningKey) {
    keys.removeFirst()
    keys.append(key)
    signing = keys.count - 1
  }

  /// The set as Apple's door serves it.
  var published: [UInt8] { JSONWebKeySet.jsonBytes(keys.map(\.publicJWK)) }

  /// The ids of the set, and which of them signs.
  var summary: JSONValue {
    .object(["keys": .array(keys.map { .string($0.kid) }), "signing": .string(current.kid)])
  }
}

/// The key that a token is signed with: by its place in the set, or one outside it.
enum KeyChoice: String, Sendable, CaseIterable {
  case current, first, second, third
  /// Not in the set; unless the request says otherwise, the token bears the current key's id, as a forger's would.
  case foreign
}
