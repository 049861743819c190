import GatewayBase

extension SocketAddress {
  /// An address and a port to listen on; port 0 lets the kernel pick a free one.
  ///
  /// - Throws: what is wrong with `text`.
  static func listening(_ text: String) throws(ValueFault) -> SocketAddress {
    let local = "localhost:"
    do throws(Problem) {
      return try SocketAddress(text.hasPrefix(local) ? "127.0.0.1:\(text.dropFirst(local.count))" : text)
    } catch {
      switch error {
      case .host:
        throw ValueFault(
          "\(Quoted(text)) does not begin with an IP address",
          hint: "write it as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080")
      case .port:
        throw ValueFault(
          "\(Quoted(text)) does not end with a port", hint: "write 1 to 65535, or 0 for one that the system picks")
      }
    }
  }
}

extension ValueType where Value == SocketAddress {
  static var listenAddress: ValueType {
    .text("an address and port such as 127.0.0.1:8080", pattern: TextPattern.listenAddress) { text throws(ValueFault) in
      try SocketAddress.listening(text)
    }
  }
}
