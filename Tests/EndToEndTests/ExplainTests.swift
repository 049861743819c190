import GatewayTesting
import Testing

/// `explain` says what the gateway does: compared with what it did.
@Suite("What explain says is what happens") struct ExplainTests {
  let stage: Stage

  init() throws { stage = try Stage.shared() }

  private struct Case: Sendable, CustomStringConvertible {
    var method = "GET"
    let app: App
    let target: String
    var fields: [(name: String, value: String)] = []
    var isSignedIn = true

    var description: String { "\(method) \(app.host)\(target)" }
  }

  private static let cases = [
    Case(app: .alpha, target: "/"), Case(app: .alpha, target: "/public/a?b=c", isSignedIn: false),
    Case(app: .alpha, target: "/a/../b/./c"), Case(app: .alpha, target: "/tokenless/x"),
    Case(app: .alpha, target: "/", isSignedIn: false), Case(method: "POST", app: .alpha, target: "/admin"),
    Case(app: .beta, target: "/"), Case(app: .bare, target: "/nowhere"), Case(app: .alpha, target: "/a%2fb"),
    Case(app: .opaque, target: "/a%2fb/../c", isSignedIn: false),
    Case(app: .lax, target: "/", fields: [("X-HTTP-Method-Override", "DELETE")], isSignedIn: false),
    Case(app: .web, target: "/public/", fields: [("Origin", "https://web.example.com")], isSignedIn: false),
    Case(
      app: .alpha, target: "/",
      fields: [("X_Speed_User_Id", "1"), ("X-Forwarded-For", "1.2.3.4"), ("Connection", "close, X-A"), ("X-A", "b")]),
    Case(app: .alpha, target: "/?access_token=x"),
    Case(app: .alpha, target: "/", fields: [("Authorization", "Basic x")]),
    Case(method: "PUT", app: .alpha, target: "/small/", fields: [("Content-Length", "2000")]),
    Case(app: App(id: 0, host: "nobody.localhost", bundleID: ""), target: "/"),
  ]

  @Test("app, refusal and the backend's head agree", arguments: cases.indices)
  func agrees(_ index: Int) throws {
    let it = Self.cases[index]
    var fields = it.fields
    if it.isSignedIn { fields += [("Authorization", "Bearer \(stage.bearer)"), ("X-Speed-Request-From", "app")] }
    let headers = fields.flatMap { ["--header", "\($0.name): \($0.value)"] }
    let result = try stage.gateway.command(
      ["explain", it.method, "http://\(it.app.host)\(it.target)", "--format", "json"] + headers)
    let explained = try JSON(parsing: Array(result.standardOutput.utf8))
    let answer = try stage.gateway.exchange(
      HTTPRequest(it.method, it.target, host: it.app.host, fields: fields), on: .plain)
    if let refusal = explained["refusals"].items.first {
      #expect(refusal["status"].integer == Int64(answer.status))
      #expect(refusal["code"].string == answer.fields["X-Speed-Error"])
      return
    }
    #expect(answer.status == 200)
    let seen = try answer.json()
    let varies: Set = ["authorization", "x-speed-assertion", "x-request-id", "traceparent", "x-forwarded-port"]
    let lines = explained["head"].items.compactMap(\.string)
    #expect(lines.first == "\(seen["method"].string ?? "") \(seen["target"].string ?? "") HTTP/1.1")
    let told = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }.lowercased()
      return varies.contains(name) ? name : "\(name): \(line.dropFirst(name.count + 2))"
    }
    let came = seen["fields"].items.map { field in
      let name = (field[0].string ?? "").lowercased()
      return varies.contains(name) ? name : "\(name): \(field[1].string ?? "")"
    }
    #expect(told == came)
  }
}
