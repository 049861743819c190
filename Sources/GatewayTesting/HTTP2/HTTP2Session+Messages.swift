// Requests and answers as a client sends and gets them.
extension HTTP2Session {
  /// Sends a request on a new stream: its head, and its body within the windows.
  ///
  /// - Parameter ends: whether the stream ends with it; if not, `sendData` follows.
  package func send(_ request: HTTPRequest, ends: Bool = true) throws -> Int32 {
    var fields = Self.fields(of: request)
    if !request.body.isEmpty { fields.append(("content-length", "\(request.body.count)")) }
    return try send(fields, body: request.body, ends: ends)
  }

  /// Sends a list of fields as it is, on a new stream, and a body behind it.
  package func send(
    _ fields: [(name: String, value: String)], body: [UInt8] = [], ends: Bool = true
  ) throws -> Int32 {
    let stream = openStream()
    try send(HTTP2Frame.blocks(stream, fields, ends: ends && body.isEmpty))
    if !body.isEmpty { try sendData(stream, body, ends: ends) }
    return stream
  }

  /// The head's fields: the first `Host` becomes `:authority`, and what belongs to a connection is left out.
  package static func fields(of request: HTTPRequest) -> [(name: String, value: String)] {
    var rest = request.fields
    var fields = [(name: ":method", value: request.method), (":scheme", "https"), (":path", request.target)]
    if let host = rest.firstIndex(where: { $0.name.lowercased() == "host" }) {
      fields.append((":authority", rest.remove(at: host).value))
    }
    let left = ["connection", "keep-alive", "proxy-connection", "transfer-encoding"]
    return fields + rest.map { ($0.name.lowercased(), $0.value) }.filter { !left.contains($0.0) }
  }

  /// Waits for the head of a stream's final answer.
  package func head(of stream: Int32) throws -> HTTP2Head {
    while true {
      let heads = streams[stream]?.heads.map(HTTP2Head.init) ?? []
      if let final = heads.first(where: { $0.status >= 200 }) { return final }
      if let code = streams[stream]?.reset { throw StreamReset(code: code) }
      try step()
    }
  }

  /// Waits for the first head of a stream, be it interim, and returns its status.
  package func interimStatus(of stream: Int32) throws -> Int {
    while true {
      if let first = streams[stream]?.heads.first { return HTTP2Head(first).status }
      if let code = streams[stream]?.reset { throw StreamReset(code: code) }
      try step()
    }
  }

  /// The next bytes of a stream's body, empty at its end.
  ///
  /// - Throws: `StreamReset` where it is cut off.
  package func bodyPiece(of stream: Int32) throws -> [UInt8] {
    while true {
      if let bytes = streams[stream]?.body, !bytes.isEmpty {
        streams[stream]?.body = []
        return bytes
      }
      if streams[stream]?.isEnded ?? true { return [] }
      if let code = streams[stream]?.reset { throw StreamReset(code: code) }
      try step()
    }
  }

  /// Waits for the whole answer on a stream.
  package func answer(to stream: Int32) throws -> HTTP2Answer {
    let head = try head(of: stream)
    var body: [UInt8] = []
    while case let piece = try bodyPiece(of: stream), !piece.isEmpty { body += piece }
    return HTTP2Answer(status: head.status, fields: head.fields, body: body, trailers: trailers(of: stream))
  }

  /// The trailers that have come on a stream.
  package func trailers(of stream: Int32) -> HTTPFields? {
    let heads = streams[stream]?.heads.map(HTTP2Head.init) ?? []
    return heads.last.flatMap { heads.count > 1 && $0.status == 0 ? $0.fields : nil }
  }

  /// Sends a request and waits for its answer.
  package func exchange(_ request: HTTPRequest) throws -> HTTP2Answer { try answer(to: try send(request)) }

  /// Bytes of a stream's body that have come.
  package func bodyBytes(of stream: Int32) -> Int { streams[stream]?.bodyBytes ?? 0 }
}

/// A list of fields that began an answer, or ended one where it has no status.
package struct HTTP2Head {
  /// 0 where there is none: trailers.
  package let status: Int
  package let fields: HTTPFields

  init(_ list: [(name: String, value: String)]) {
    status = list.first { $0.name == ":status" }.flatMap { Int($0.value) } ?? 0
    fields = HTTPFields(list.filter { !$0.name.hasPrefix(":") })
  }
}

/// An answer as it came over HTTP/2.
package struct HTTP2Answer {
  package let status: Int
  package let fields: HTTPFields
  package let body: [UInt8]
  package let trailers: HTTPFields?

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The contract's error code, from the body; nil where the body is no error of the gateway.
  package var errorCode: String? { try? JSON(parsing: body)["error"].string }
}

/// The peer reset a stream before it was whole.
package struct StreamReset: Error {
  package let code: UInt32
}

extension HTTP2Frame {
  /// A list of fields, in as many frames as it needs.
  package static func blocks(_ stream: Int32, _ fields: [(name: String, value: String)], ends: Bool) -> [HTTP2Frame] {
    var rest = HTTP2FieldList.encode(fields)[...]
    var frames: [HTTP2Frame] = []
    repeat {
      let part = Array(rest.prefix(16_384))
      rest = rest.dropFirst(part.count)
      let isLast = rest.isEmpty
      if frames.isEmpty {
        let flags = (ends ? endStream : 0) | (isLast ? endHeaders : 0)
        frames.append(HTTP2Frame(Kind.headers, flags: flags, stream: stream, part))
      } else {
        frames.append(.continuation(stream, part, ends: isLast))
      }
    } while !rest.isEmpty
    return frames
  }
}
