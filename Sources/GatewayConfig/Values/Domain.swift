import GatewayBase

extension HostName {
  /// The domain of an app.
  ///
  /// - Throws: what is wrong with `text`.
  static func domain(_ text: String) throws(ValueFault) -> HostName {
    let form = "write a full name such as notes.example.com"
    if text.holds("*") {
      throw ValueFault("\(Quoted(text)) has a wildcard", hint: "list each domain by its full name")
    }
    if text.holds("://") { throw ValueFault("a URL is not a domain", hint: "write the host alone") }
    if text.holds(":") || text.holds("/") {
      throw ValueFault("\(Quoted(text)) is more than a domain", hint: "write the host alone, without port and path")
    }
    guard let name = HostName(international: text) else {
      throw ValueFault("\(Quoted(text)) is not a domain", hint: form)
    }
    if name.endsInNumber { throw ValueFault("\(Quoted(text)) is an address, not a domain", hint: form) }
    return name
  }

  /// A host of the gateway itself: a name, or an IP address (which clients may use on a developer's machine).
  ///
  /// - Throws: what is wrong with `text`.
  static func gatewayHost(_ text: String) throws(ValueFault) -> HostName {
    let unbracketed = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
    if let address = IPAddress(unbracketed) {
      if let host = HostName(address.bracketed) { return host }
    }
    return try domain(text)
  }
}

extension ValueType where Value == HostName {
  static var domain: ValueType {
    .text("a domain", pattern: TextPattern.domain) { text throws(ValueFault) in try HostName.domain(text) }
  }
  static var gatewayHost: ValueType {
    .text("a host", pattern: TextPattern.gatewayHost) { text throws(ValueFault) in try HostName.gatewayHost(text) }
  }
}
