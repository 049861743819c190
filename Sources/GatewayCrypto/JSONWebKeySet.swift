import GatewayBase

/// The keys of an issuer (RFC 7517 section 5), found by id alone: there is no default key.
package struct JSONWebKeySet: Sendable {
  package enum Malformed: String, Error, Sendable, CustomStringConvertible {
    /// No JSON object with an array `keys`.
    case notAKeySet = "the text is no JSON Web Key Set"
    /// Over `Limits.keySetKeys`.
    case tooManyKeys = "the set has too many keys"

    package var description: String { rawValue }
  }

  private var keys: [String: VerifyingKey] = [:]

  /// Reads a set leniently, as RFC 7517 asks: a key that can't be used is skipped, the others count.
  ///
  /// An id that two different usable keys share stands for neither: which one was meant can't be known.
  package init(parsing bytes: [UInt8]) throws(Malformed) {
    guard let json = try? JSONValue(parsing: bytes), let entries = json["keys"]?.array else { throw .notAKeySet }
    guard entries.count <= Limits.keySetKeys else { throw .tooManyKeys }
    var ambiguous: Set<String> = []
    for entry in entries {
      guard let jwk = JSONWebKey(entry), let key = VerifyingKey(jwk.material) else { continue }
      if let other = keys.updateValue(key, forKey: jwk.kid), other != key { ambiguous.insert(jwk.kid) }
    }
    for kid in ambiguous { keys[kid] = nil }
  }

  package subscript(kid: String) -> VerifyingKey? { keys[kid] }

  /// How many keys can be used.
  package var count: Int { keys.count }

  /// A set of public keys as the JSON that others read, in the order given.
  package static func jsonBytes(_ keys: [JSONWebKey]) -> [UInt8] {
    Array("{\"keys\":[\(keys.map(\.jsonText).joined(separator: ","))]}".utf8)
  }
}
