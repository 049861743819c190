import GatewayBase
import GatewayHTTP

private struct SeenRequest: Equatable {
  let method: HTTPMethod
  let methodText: [UInt8]
  let target: [UInt8]
  let minorVersion: UInt8
  let framing: BodyFraming
  let keepAlive: Bool
  let expectsContinue: Bool
  let upgrade: Upgrade
  let fields: [SeenField]
  let hostIndex: Int

  /// Nil where the parser refuses it.
  static func parse(_ head: [UInt8]) throws(BrokenProperty) -> SeenRequest? {
    var table = FieldTable()
    let request: RequestHead
    do throws(Refusal) {
      request = try RequestParser.parse(head.span, into: &table)
    } catch {
      try expect([400, 414, 431, 501].contains(error.status), "a refusal of a head is 400, 414, 431 or 501")
      try expect(error.closesConnection, "a refusal of a head ends the connection")
      return nil
    }
    return SeenRequest(
      method: request.method, methodText: Array<UInt8>(head[request.methodRange]),
      target: Array<UInt8>(head[request.targetRange]), minorVersion: request.minorVersion, framing: request.framing,
      keepAlive: request.keepAlive, expectsContinue: request.expectsContinue, upgrade: request.upgrade,
      fields: try [SeenField](table, head), hostIndex: request.hostIndex)
  }

  var head: [UInt8] {
    methodText + [0x20] + target + Array(" HTTP/1.\(minorVersion)\r\n".utf8) + fields.lines + crlf
  }
}

/// Bytes of a client's connection: the scanner finds the head however they are cut, and what the parser takes is what
/// the plainest reader would see, and is taken again when it is written down.
func fuzzRequestHead(_ bytes: [UInt8]) throws(BrokenProperty) {
  try expect(HeadGlimpse(bytes.span).isWithin(bytes.count), "a glimpse is of the bytes that came")
  let found = scan(bytes, every: max(bytes.count, 1))
  for step in [1, 2, 7] { try expect(scan(bytes, every: step) == found, "a scan does not depend on cuts of \(step)") }
  guard case .complete(let count) = found else {
    return try expect(try SeenRequest.parse(bytes) == nil, "no head passes that the scanner does not find")
  }
  try expect((1...bytes.count).contains(count), "a head is of the bytes that came")
  let head = Array<UInt8>(bytes[..<count])
  guard let request = try SeenRequest.parse(head) else { return }
  try check(request, head)
  try expect(try SeenRequest.parse(request.head) == request, "a request is the same when it is written anew")
  try checkTarget(request.target, request.method, opaque: false)
  try checkHost(request.fields[request.hostIndex].value)
}

private func check(_ request: SeenRequest, _ head: [UInt8]) throws(BrokenProperty) {
  try expect(head.count <= Limits.requestHeadCeiling, "a head is within its limit")
  let bare = head.starts(with: crlf) ? Array(head.dropFirst(2)) : head
  guard let lines = bare.headLines, let first = lines.first else {
    throw BrokenProperty(description: "a head has lines")
  }
  try expect(
    Array(first) == request.methodText + [0x20] + request.target + Array(" HTTP/1.\(request.minorVersion)".utf8),
    "the first line is its three parts and two blanks")
  try expect(request.methodText.isToken && request.methodText.count <= Limits.method, "a method is a short token")
  try expect(
    request.target.count <= Limits.target && request.target.allSatisfy { $0 > 0x20 }, "a target has no blanks")
  try checkFields(request.fields, lines.dropFirst())
  try checkFraming(request.fields, minorVersion: request.minorVersion, request.framing)
  try expect(request.framing != .untilClose, "no request lasts until the client closes")
  try expect(request.fields.values("host").count == 1, "there is one Host")
  let glimpse = HeadGlimpse(head.span)
  try expect(
    glimpse.host.map { Array<UInt8>(head[$0]) } == request.fields[request.hostIndex].value, "a glimpse sees the Host")
  let origins = request.fields.values("origin")
  try expect(
    glimpse.origin.map { Array<UInt8>(head[$0]) } == (origins.count == 1 ? origins.first : nil),
    "a glimpse sees the one Origin")
  try expect(glimpse.target.map { Array<UInt8>(head[$0]) } == request.target, "a glimpse sees the target")
  try expect(request.fields[request.hostIndex].known == .host, "the Host is where it is said to be")
  try expect(
    request.keepAlive == staysOpen(request.fields, minorVersion: request.minorVersion), "Connection is read in full")
}

extension HeadGlimpse {
  /// Whether all that it tells is within a head of `count` bytes.
  func isWithin(_ count: Int) -> Bool {
    [host, origin, target].allSatisfy { $0.map { $0.upperBound <= count } ?? true }
  }
}
