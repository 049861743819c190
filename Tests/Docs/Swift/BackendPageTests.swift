import Foundation
import GatewayTesting
import Testing

/// The Swift code of `docs/BACKENDS.md`, which is the other files of this folder, against a real gateway. The page's other
/// languages are run by `Tests/Docs/main.py`.
@Suite("The page for backends, in Swift") struct BackendPageTests {
  private static let app = 123
  private static let serverKey = "sk_\(UUID().uuidString)"

  private struct Place: Sendable {
    let gateway: GatewayProcess
    let backend: ScriptedBackend
    let sandbox: SandboxProcess
    var api: URL { URL(string: "http://127.0.0.1:\(gateway.port)")! }

    init() throws {
      sandbox = try SandboxProcess()
      backend = try ScriptedBackend()
      var tenant = TenantFile(app, "notes.localhost", bundleIDs: ["com.example.notes"], ports: [backend.port])
      tenant.lines = ["usage: { source: local }", "serverKeys: [{ id: main, env: NOTES_SERVER_KEY }]"]
      var setup = GatewaySetup(
        keysURL: sandbox.keysURL, tenants: ["notes.yaml": tenant.yaml],
        sections: [
          "platform":
            "{ apiHosts: [api.localhost, 127.0.0.1], dashHosts: [dash.localhost], publicUrl: http://api.localhost }"
        ])
      setup.environment["NOTES_SERVER_KEY"] = serverKey
      gateway = try GatewayProcess(setup)
    }

    func bearer() throws -> String {
      try gateway.bearer(app: app, sandbox.token(TokenRequest(audience: "com.example.notes")))
    }

    func userID(_ bearer: String) throws -> String {
      guard let id = try gateway.me(bearer).json()["user"]["id"].string else { throw TestFailure("me has no user") }
      return id
    }
  }

  @Test("what is compiled here is what the page shows", arguments: ["Assertions.swift", "Balances.swift"])
  func same(file: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    let page = try String(
      contentsOf: URL(filePath: Built.package).appending(path: "docs/BACKENDS.md"), encoding: .utf8)
    #expect(page.contains("```swift file=\(file)\n\(text)```\n"), "docs/BACKENDS.md has another \(file)")
  }

  @Test("the gateway's assertion is believed, and nothing that is not one for this app")
  func assertions() async throws {
    let place = try Place()
    let bearer = try place.bearer()
    let request = HTTPRequest.authorized("GET", "/", host: "notes.localhost", bearer: bearer)
    let seen = try place.gateway.exchange(request).echoedFields()
    let assertion = try #require(seen["X-Speed-Assertion"])
    let keySet = place.api.appending(path: ".well-known/jwks.json")
    let assertions = Assertions(issuer: "http://api.localhost", keySet: keySet, app: Self.app)
    let claims = try #require(try await assertions.claims(of: assertion))
    #expect(claims.sub == (try place.userID(bearer)) && claims.uuid == seen["X-Speed-App-User-UUID"])

    let middle = assertion.index(assertion.startIndex, offsetBy: assertion.count / 2)
    let forged = assertion.replacingCharacters(in: middle...middle, with: assertion[middle] == "A" ? "B" : "A")
    for bad in [bearer, forged, "", "a.b.c", String(assertion.dropLast(8))] {
      #expect(try await assertions.claims(of: bad) == nil)
    }
    for other in [
      Assertions(issuer: "http://api.localhost", keySet: keySet, app: 124),
      Assertions(issuer: "http://other.localhost", keySet: keySet, app: Self.app),
    ] { #expect(try await other.claims(of: assertion) == nil) }
  }

  @Test("one order is one credit")
  func balances() async throws {
    let place = try Place()
    let user = try place.userID(try place.bearer())
    let balances = Balances(api: place.api, app: Self.app, key: Self.serverKey)
    let entry = try await balances.credit(user, 500, order: "order-1")
    #expect(entry.balanceAfter == 500)
    #expect(try await balances.credit(user, 500, order: "order-1").id == entry.id)
    #expect(try await balances.balance(user) == 500)
    await #expect(throws: Balances.Refused.self) { try await balances.credit(user, 1, order: "order-1") }
    await #expect(throws: Balances.Refused.self) {
      try await Balances(api: place.api, app: Self.app, key: "sk_other").balance(user)
    }
  }
}
