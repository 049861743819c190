/// An address and a port to listen on.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  package let address: IPAddress
  /// 0 lets the kernel pick a free one.
  package let port: UInt16

  package init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  package var description: String {
    switch address {
    case .v4: "\(address):\(port)"
    case .v6: "[\(address)]:\(port)"
    }
  }

  static func loopback(port: UInt16) -> ListenAddress { ListenAddress(address: .v4([127, 0, 0, 1]), port: port) }

  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String) throws(ValueFault) -> ListenAddress {
    let form = "write it as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080"
    guard let colon = text.lastIndex(of: ":") else { throw ValueFault("\(Quoted(text)) has no port", hint: form) }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw ValueFault("\(Quoted(text)) is not an address with a port", hint: form)
    }
    if host == "localhost" { host = "127.0.0.1" }
    guard let address = IPAddress(host) else {
      throw ValueFault("\(Quoted(text)) does not begin with an IP address", hint: form)
    }
    let digits = text[text.index(after: colon)...]
    guard let port = portNumber(digits, from: 0) else {
      throw ValueFault("\(Quoted(digits)) is not a port", hint: "write 1 to 65535, or 0 for one that the system picks")
    }
    return ListenAddress(address: address, port: port)
  }
}

/// A port in plain decimal digits, or nil.
func portNumber(_ digits: Substring, from lowest: UInt16 = 1) -> UInt16? {
  guard digits.utf8.allSatisfy({ $0.isDigit }), digits == "0" || !digits.hasPrefix("0"), let port = UInt16(digits),
    port >= lowest
  else { return nil }
  return port
}

extension ValueType where Value == ListenAddress {
  static var listenAddress: ValueType {
    .text("an address and port such as 127.0.0.1:8080") { text throws(ValueFault) in try ListenAddress.parse(text) }
  }
}
