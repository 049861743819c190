import GatewayBase
import GatewayHTTP

// Requests to a backend, and its answers.
extension HTTP2ScriptedOwner {
  /// Sends a GET, a HEAD, a POST and another GET.
  func submitRequests() {
    for (index, method) in ["GET", "HEAD", "POST", "GET"].enumerated() {
      let head = Array("\(method) /\(index) HTTP/1.1\r\nHost: a\r\nx-a: b\r\n\r\n".utf8)
      let stream = machine.submitRequest(
        head: head.span, scheme: .https, sendsTrailers: index == 2, endsStream: method != "POST", tag: UInt64(index))
      guard let stream else { return rule(false, "a backend takes the first requests") }
      begin(stream, false)
      silent.insert(stream)
      rule(machine.tag(of: stream) == UInt64(index), "a tag is kept")
      if method == "POST" { bodies[stream] = 5000 }
    }
  }

  func responseHeadCame(_ stream: HTTP2StreamID, head: Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    let bytes = Array<UInt8>(head)
    events.append(.response(stream.rawValue, bytes, ends: endsStream))
    rule(!isIngress, "a client sends no answers")
    rule(open[stream] == false && silent.contains(stream), "an answer comes once, to what was asked")
    rule(bytes.count <= Limits.responseHead, "a head is within its limit")
    var table = FieldTable()
    let response = ResponseParser.parse(bytes.span, requestMethod: .get, into: &table)
    if let response, let fields = try? [SeenField](table, bytes) {
      rule(scan(bytes, every: max(bytes.count, 1)) == .complete(count: bytes.count), "a head that passes is one head")
      rule(fields.values("transfer-encoding").isEmpty, "no head has a transfer coding")
      rule(fields.values("content-length").isEmpty != hasLength, "a length is told")
      rule(response.status != 101, "nothing switches")
    }
    if bytes.count > 9, bytes[9] != UInt8(ascii: "1") { silent.remove(stream) }
    if endsStream { open[stream] = true }
    act(stream)
  }
}
