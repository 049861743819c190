import GatewayBase
import GatewayHTTP

private struct SeenResponse: Equatable {
  let status: UInt16
  let minorVersion: UInt8
  let reason: [UInt8]
  let framing: BodyFraming
  let declaredLength: UInt64?
  let keepAlive: Bool
  let keepAliveTimeout: UInt32?
  let upgrade: Upgrade
  let fields: [SeenField]

  /// Nil where the parser refuses it.
  static func parse(_ head: [UInt8], _ method: HTTPMethod) throws(BrokenProperty) -> SeenResponse? {
    var table = FieldTable()
    guard let response = ResponseParser.parse(head.span, requestMethod: method, into: &table) else { return nil }
    return SeenResponse(
      status: response.status, minorVersion: response.minorVersion, reason: Array<UInt8>(head[response.reasonRange]),
      framing: response.framing, declaredLength: response.declaredLength, keepAlive: response.keepAlive,
      keepAliveTimeout: response.keepAliveTimeout, upgrade: response.upgrade, fields: try [SeenField](table, head))
  }

  var head: [UInt8] {
    Array("HTTP/1.\(minorVersion) \(status) ".utf8) + reason + crlf + fields.lines + crlf
  }
}

/// Bytes of a backend's answer; the first one chooses the method of the request.
func fuzzResponseHead(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let choice = bytes.first else { return }
  let method: HTTPMethod = [.get, .head, .post, .connect][Int(choice & 3)]
  let answer = Array(bytes.dropFirst())
  guard case .complete(let count) = scan(answer, every: max(answer.count, 1)) else {
    return try expect(
      try SeenResponse.parse(answer, method) == nil, "no head passes that the scanner does not find")
  }
  let head = Array<UInt8>(answer[..<count])
  guard let response = try SeenResponse.parse(head, method) else { return }
  guard let lines = head.headLines else { throw BrokenProperty(description: "a head has lines") }
  try expect(head.count <= Limits.responseHead && (100...599).contains(response.status), "a head is within its limits")
  try expect(response.reason.isFieldValue, "a reason has no control characters")
  try checkFields(response.fields, lines.dropFirst())
  try checkFraming(response.fields, minorVersion: response.minorVersion, response.framing)
  try checkBody(response, method)
  try expect(
    try SeenResponse.parse(response.head, method) == response, "an answer is the same when it is written anew")
}

private func checkBody(_ response: SeenResponse, _ method: HTTPMethod) throws(BrokenProperty) {
  let hasBody = method != .head && response.status >= 200 && response.status != 204 && response.status != 304
  if !hasBody { try expect(response.framing == .none, "an answer without a body has no framing") }
  let hasFraming = response.declaredLength != nil || !response.fields.values("transfer-encoding").isEmpty
  if hasBody {
    try expect(hasFraming == (response.framing != .untilClose), "without framing a body lasts until the end")
  }
  if response.keepAlive {
    try expect(response.framing != .untilClose, "what lasts until the end ends the connection")
    try expect(staysOpen(response.fields, minorVersion: response.minorVersion), "Connection is read in full")
  }
  try expect(response.status == 101 || response.upgrade == .none, "only 101 switches")
}
