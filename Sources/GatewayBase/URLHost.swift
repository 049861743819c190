/// The host of a URL.
package enum URLHost: Sendable, Hashable, CustomStringConvertible {
  case name(HostName)
  case address(IPAddress)

  /// - Parameters:
  ///   - text: as an authority writes it: IPv6 in brackets.
  ///   - name: reads a host that is no address.
  init(_ text: Substring, name: (String) -> HostName?) throws(ServiceURL.Problem) {
    if text.utf8.first == UInt8(ascii: "[") {
      guard let address = IPAddress(text.dropFirst().dropLast()), case .v6 = address else { throw .host }
      self = .address(address)
    } else if let address = IPAddress(text) {
      self = .address(address)
    } else {
      guard let name = name(String(text)) else { throw .host }
      guard !name.endsInNumber else { throw .numericHost }
      self = .name(name)
    }
  }

  /// The host that a canonical name means: an address where it is the text of one.
  package init(_ name: HostName) {
    let text = name.description
    let address = IPAddress(text.hasPrefix("[") ? text.dropFirst().dropLast() : text[...])
    self = address.map { .address($0) } ?? .name(name)
  }

  /// This machine: 127.0.0.0/8, `::1`, `localhost` and the names below it (RFC 6761 section 6.3).
  package var isLoopback: Bool {
    switch self {
    case .name(let name): name.description == "localhost" || name.description.hasSuffix(".localhost")
    case .address(let address): address.isLoopback
    }
  }

  /// An address that is good on its own network alone, where machines ask who they are (RFC 3927, RFC 4291 section 2.5.6).
  package var isLinkLocal: Bool {
    if case .address(let address) = self { address.isLinkLocal } else { false }
  }

  /// The canonical name, or the canonical text of an address, IPv6 without brackets.
  package var description: String {
    switch self {
    case .name(let name): name.description
    case .address(let address): address.description
    }
  }

  /// As an authority writes it: IPv6 in brackets.
  package var bracketed: String {
    switch self {
    case .name(let name): name.description
    case .address(let address): address.bracketed
    }
  }
}
