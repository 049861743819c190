import GatewayBase

/// Names of certificates and of clients that ask for one, in one form.
enum TLSName {
  /// Lower case, without a final dot; nil for what is no host name.
  static func host(_ name: Span<UInt8>) -> String? {
    var buffer = HostBuffer()
    guard HostName.canonicalize(name, into: &buffer), buffer.port == nil else { return nil }
    return HostName(buffer).description
  }

  /// The same for a certificate's name, where `*.` may stand in front.
  static func pattern(_ name: Span<UInt8>) -> String? {
    guard name.count > 2, name[0] == UInt8(ascii: "*"), name[1] == UInt8(ascii: ".") else { return host(name) }
    return host(name.extracting(2..<name.count)).map { "*.\($0)" }
  }
}

/// The host names that some certificates are for together.
package struct ServedNames: Sendable {
  private let table: ServerNameTable

  package init(_ identities: [TLSIdentity]) {
    table = ServerNameTable(identities.map { ($0.names, $0.keyType) })
  }

  package func contain(_ host: HostName) -> Bool { table.set(for: host.description) != nil }
}

/// Which certificates serve which name: an exact name before a wildcard, which stands for one label (RFC 9525
/// section 6.3).
struct ServerNameTable: Sendable {
  /// Sets of certificates that serve a name together, one for each kind of key, as positions in the list.
  private(set) var sets: [[Int]] = []
  private var exact: [String: Int] = [:]
  private var wildcard: [String: Int] = [:]

  /// - Parameter identities: names and kind of key of each certificate, in the order of the configuration. Of two for
  ///   one name and one kind of key the first serves. The first of all serves clients that name nothing.
  init(_ identities: [(names: [String], keyType: Int32)]) {
    var positions: [String: [Int]] = [:]
    for (position, identity) in identities.enumerated() {
      for name in Set(identity.names) {
        let others = positions[name] ?? []
        if !others.contains(where: { identities[$0].keyType == identity.keyType }) {
          positions[name] = others + [position]
        }
      }
    }
    if let first = identities.first {
      _ = set(of: first.names.first.flatMap { positions[$0] }.flatMap { $0.first == 0 ? $0 : nil } ?? [0])
    }
    for (name, members) in positions.sorted(by: { $0.key < $1.key }) {
      if name.hasPrefix("*.") {
        wildcard[String(name.dropFirst(2))] = set(of: members)
      } else {
        exact[name] = set(of: members)
      }
    }
  }

  private mutating func set(of members: [Int]) -> Int {
    if let known = sets.firstIndex(of: members) { return known }
    sets.append(members)
    return sets.count - 1
  }

  /// The set that serves a canonical name; nil where none does. Set 0 serves clients that name nothing.
  func set(for name: String) -> Int? {
    if let index = exact[name] { return index }
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    return wildcard[String(name[name.index(after: dot)...])]
  }
}
