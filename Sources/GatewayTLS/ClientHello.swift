import GatewayBase

/// What a client's first message asks for, as its extensions say. Bytes in, verdict out.
enum ClientHello {
  /// The name of the extension `server_name` (RFC 6066 section 3).
  enum ServerName: Equatable {
    /// No extension: clients that address the machine by its IP, and health checks.
    case absent
    /// A name, in lower case and without a final dot.
    case name(String)
    /// No host name at all, so that no certificate is for it.
    case unservable
    case malformed
  }

  /// - Parameter list: the extension's content: a list of names with their types, each with its length.
  static func serverName(_ list: Span<UInt8>) -> ServerName {
    guard list.count >= 5, length(list, at: 0) == list.count - 2, list[2] == 0 else { return .malformed }
    let count = length(list, at: 3)
    guard count > 0, count == list.count - 5 else { return .malformed }
    return TLSName.host(list.extracting(5..<list.count)).map { .name($0) } ?? .unservable
  }

  /// The first of `offered` that the client speaks too: the order is ours (RFC 7301 section 3.2).
  ///
  /// - Parameter list: the extension's content: names, each with its length, the length of all before them.
  static func protocolChoice(_ list: Span<UInt8>, of offered: [ApplicationProtocol]) -> ProtocolChoice {
    guard list.count >= 4, length(list, at: 0) == list.count - 2 else { return .malformed }
    var best: Int?
    var index = 2
    while index < list.count {
      let count = Int(list[index])
      guard count > 0, index + 1 + count <= list.count else { return .malformed }
      let name = ApplicationProtocol(list.extracting((index + 1)..<(index + 1 + count)))
      if let position = offered.firstIndex(where: { $0 == name }), position < best ?? .max { best = position }
      index += 1 + count
    }
    return best.map { .chosen(offered[$0]) } ?? .noneInCommon
  }

  private static func length(_ bytes: Span<UInt8>, at index: Int) -> Int {
    Int(bytes[index]) << 8 | Int(bytes[index + 1])
  }
}

/// What comes of the client's list of protocols.
enum ProtocolChoice: Equatable {
  /// The client did not ask: it speaks HTTP/1.1.
  case none
  case chosen(ApplicationProtocol)
  case noneInCommon
  case malformed
}
