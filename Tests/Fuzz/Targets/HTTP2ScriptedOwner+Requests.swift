import GatewayBase
import GatewayHTTP

// A client's requests, and what is answered.
extension HTTP2ScriptedOwner {
  func requestBegan(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    let bytes = Array<UInt8>(head)
    events.append(.request(stream.rawValue, bytes, ends: endsStream))
    begin(stream, endsStream)
    rule(bytes.count <= Limits.requestHead, "a head is within its limit")
    rule(
      scan(bytes, every: max(bytes.count, 1)) == .complete(count: bytes.count) || parse(bytes) == nil,
      "a head that passes is one head")
    if let fields = parse(bytes) {
      rule(fields.values("transfer-encoding").isEmpty, "no head has a transfer coding")
      rule(fields.values("connection").isEmpty && fields.values("upgrade").isEmpty, "no head speaks of a connection")
      rule(fields.values("content-length").isEmpty != hasLength, "a length is told")
    }
    act(stream)
  }

  private func parse(_ head: [UInt8]) -> [SeenField]? {
    var table = FieldTable()
    guard (try? RequestParser.parse(head.span, into: &table)) != nil else { return nil }
    return try? [SeenField](table, head)
  }

  func requestRefused(_ stream: HTTP2StreamID, _ refusal: Refusal, head: Span<UInt8>, endsStream: Bool) {
    events.append(.refused(stream.rawValue, refusal.status, ends: endsStream))
    begin(stream, endsStream)
    silent.insert(stream)
    rule([400, 414, 431].contains(refusal.status), "a refusal of a head is 400, 414 or 431")
    rule(head.count <= Limits.http2HeadBuffer, "what is told of a refused head is within its buffer")
    rule(HeadGlimpse(head).isWithin(head.count), "a glimpse is of the bytes that there are")
    machine.submitResponse(stream, head: Array("HTTP/1.1 400 \r\n\r\n".utf8).span, endsStream: true)
  }

  func answer(_ stream: HTTP2StreamID, _ choice: UInt8) {
    switch choice & 7 {
    case 1: machine.submitResponse(stream, head: Array("HTTP/1.1 204 \r\n\r\n".utf8).span, endsStream: true)
    case 4: machine.submitResponse(stream, head: Array("HTTP/1.1 103 \r\nlink: x\r\n\r\n".utf8).span, endsStream: false)
    default:
      bodies[stream] = Int(choice) * 97
      let head = Array("HTTP/1.1 200 \r\nx-a: b\r\nset-cookie: c=d\r\n\r\n".utf8)
      machine.submitResponse(stream, head: head.span, endsStream: false)
    }
  }
}
