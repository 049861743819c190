import Foundation
import GatewayBase
import Testing

@Suite("Refusals") struct RefusalTests {
  @Test("the body has the code, one sentence and the request id")
  func body() {
    #expect(
      String(decoding: Refusal.noRoute.body(requestID: "r-1"), as: UTF8.self)
        == #"{"error":"no_route","message":"No route matches this path.","requestId":"r-1"}"#)
  }

  @Test("a request id from outside can't break out of the body")
  func escapes() throws {
    let id = "\",\"error\":\"x\r\n\u{2028}"
    let body = Data(Refusal.forbidden.body(requestID: id))
    let read = try JSONDecoder().decode([String: String].self, from: body)
    #expect(read == ["error": "forbidden", "message": Refusal.forbidden.message, "requestId": id])
    #expect(!body.contains(UInt8(ascii: "\n")))
  }

  @Test("a refusal that leaves the framing in doubt closes the connection, and no other does")
  func closing() {
    let doubtful: [Refusal] = [.badRequest("x"), .unsupportedCoding, .headerTooLarge, .targetTooLong, .requestTimeout]
    for refusal in doubtful { #expect(refusal.closesConnection, "\(refusal.code)") }
    let clear: [Refusal] = [.unknownHost, .noRoute, .missingToken, .invalidToken, .backendTimeout, .storeUnavailable]
    for refusal in clear { #expect(!refusal.closesConnection, "\(refusal.code)") }
  }

  @Test("the challenges of 401 are those of RFC 6750")
  func challenges() {
    #expect(Refusal.missingToken.challenge == "Bearer")
    #expect(Refusal.invalidToken.challenge == "Bearer error=\"invalid_token\"")
    #expect(Refusal.missingToken.status == 401 && Refusal.invalidToken.status == 401)
  }

  @Test("what may pass says when to try again, and 405 says what is allowed")
  func hints() {
    #expect(Refusal.storeUnavailable.retryAfter != nil && Refusal.providerUnavailable.retryAfter != nil)
    #expect(Refusal.methodNotAllowed("GET, POST").allow == "GET, POST")
    #expect(Refusal.forbidden.retrying(after: 7).retryAfter == 7)
  }

  @Test("the code that is not snake_case is Target not found alone")
  func codes() {
    #expect(Refusal.targetNotFound.code == "Target not found")
    #expect(Refusal.targetNotFound.status == 404)
  }
}
