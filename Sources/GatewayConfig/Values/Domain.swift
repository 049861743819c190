import GatewayBase

extension HostName {
  /// Whether the last label is a number, as in `192.0.2.1` or `0x7f.1`: clients take such a name for an IPv4 address
  /// (WHATWG URL, "ends in a number").
  var endsInNumber: Bool {
    guard let last = description.split(separator: ".").last else { return false }
    return last.utf8.allSatisfy { $0.isDigit } || (last.hasPrefix("0x") && UInt64(last.dropFirst(2), radix: 16) != nil)
      || last == "0x"
  }

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
  static var domain: ValueType { .text("a domain") { text throws(ValueFault) in try HostName.domain(text) } }
  static var gatewayHost: ValueType { .text("a host") { text throws(ValueFault) in try HostName.gatewayHost(text) } }
}
