import GatewayBase
import GatewayProxy
import Testing

@testable import GatewayServer

@Suite("The app of a sign-in") struct SignInTargetTests {
  private let directory = GatewayServerTests.directory([yaml(101, "alpha.localhost"), yaml(102, "bücher.example")])

  /// The app's number, or status and code of the refusal.
  private func outcome(_ body: String) throws -> String {
    let body = try JSONValue(parsing: Array(body.utf8))
    do throws(Refusal) {
      return "\(try SignInTarget.app(named: body, in: directory).configuration.appID)"
    } catch {
      return "\(error.status) \(error.code)"
    }
  }

  @Test(
    "an app is named by its number, by a domain in any form, or by both",
    arguments: [
      (#"{"appId":101}"#, "101"), (#"{"appId":"101"}"#, "101"), (#"{"appId":"0101"}"#, "101"),
      (#"{"domain":"alpha.localhost"}"#, "101"), (#"{"domain":"ALPHA.localhost.:443"}"#, "101"),
      (#"{"domain":"bücher.example"}"#, "102"), (#"{"domain":"xn--bcher-kva.example"}"#, "102"),
      (#"{"appId":102,"domain":"BÜCHER.example"}"#, "102"), (#"{"appId":102,"domain":null}"#, "102"),
      (#"{"appId":null,"domain":"alpha.localhost"}"#, "101"),
    ])
  func found(body: String, app: String) throws { #expect(try outcome(body) == app) }

  @Test(
    "an app that is not there is 404, however large its number",
    arguments: [
      #"{"appId":1}"#, #"{"appId":-101}"#, #"{"appId":0}"#, #"{"appId":9223372036854775807}"#,
      #"{"appId":9223372036854775808}"#, #"{"appId":-9223372036854775809}"#, #"{"appId":1e300}"#,
      #"{"appId":"99999999999999999999999999"}"#, #"{"domain":"nobody.localhost"}"#, #"{"domain":""}"#,
      #"{"domain":"a b"}"#, #"{"domain":"\u0000"}"#, #"{"appId":1,"domain":"nobody.localhost"}"#,
    ])
  func absent(body: String) throws { #expect(try outcome(body) == "404 Target not found") }

  @Test(
    "a number and a domain that are not of one app disagree, also where one of them is of none",
    arguments: [
      #"{"appId":101,"domain":"bücher.example"}"#, #"{"appId":101,"domain":"nobody.localhost"}"#,
      #"{"appId":101,"domain":""}"#, #"{"appId":1,"domain":"alpha.localhost"}"#,
      #"{"appId":9223372036854775808,"domain":"alpha.localhost"}"#,
    ])
  func disagreement(body: String) throws { #expect(try outcome(body) == "400 invalid_request") }

  @Test(
    "a body that names no app, or by another type, is invalid",
    arguments: [
      "{}", #"{"appId":null}"#, #"{"appId":101.5}"#, #"{"appId":true}"#, #"{"appId":""}"#, #"{"appId":"10x"}"#,
      #"{"appId":"-1"}"#, #"{"appId":[101]}"#, #"{"domain":101}"#, #"{"domain":["alpha.localhost"]}"#,
    ])
  func invalid(body: String) throws { #expect(try outcome(body) == "400 invalid_request") }
}
