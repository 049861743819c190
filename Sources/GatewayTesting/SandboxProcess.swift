import GatewayBase

/// The command `speed-gateway sandbox`: Apple's key set and identity tokens on loopback.
package final class SandboxProcess: Sendable {
  /// What a key-set request gets.
  package enum KeyFailure: String, Sendable {
    case none = "ok"
    case unavailable, garbage, slow, truncated
  }

  package let process: ChildProcess
  package let port: UInt16

  package init() throws {
    process = try ChildProcess(
      [Built.command, "sandbox", "--listen", "127.0.0.1:0", "--issuer", "https://appleid.apple.com"],
      environment: ProcessEnvironment.inherited, folder: "/")
    port = try ListeningLine.port(of: "sandbox", in: process)
  }

  package var keysURL: String { "http://127.0.0.1:\(port)/auth/keys" }

  /// Signs a token whose claims are those of the call.
  package func token(_ request: TokenRequest) throws -> IdentityToken {
    let answer = try post("/sandbox/identity-token", request.json)
    guard let token = answer["identityToken"].string else { throw TestFailure("the sandbox gives no token") }
    return IdentityToken(text: token, rawNonce: request.rawNonce, code: answer["authorizationCode"].string)
  }

  /// New keys for the key set; the old ones leave it.
  package func rotateKeys() throws { _ = try post("/sandbox/keys/rotate", [:]) }

  package func failKeys(_ failure: KeyFailure) throws {
    _ = try post("/sandbox/failures", ["keys": .string(failure.rawValue)])
  }

  /// The key set as anybody may read it.
  package func keySet() throws -> JSON { try exchange(HTTPRequest("GET", "/auth/keys", host: host)).json() }

  /// How often the key set was asked for.
  package func keyFetches() throws -> Int {
    let answer = try exchange(HTTPRequest("GET", "/sandbox/counters", host: host))
    guard let count = try answer.json()["keys"].integer else { throw TestFailure("the sandbox counts no key fetches") }
    return Int(count)
  }

  /// Reads a door of the sandbox.
  package func get(_ path: String) throws -> JSON { try exchange(HTTPRequest("GET", path, host: host)).json() }

  private var host: String { "127.0.0.1:\(port)" }

  /// Posts to a door of the sandbox, and returns what it answers.
  package func post(_ path: String, _ body: JSON) throws -> JSON {
    let answer = try exchange(HTTPRequest("POST", path, host: host, json: body))
    guard (200..<300).contains(answer.status) else {
      throw TestFailure("the sandbox answers \(answer.status): \(path)")
    }
    return answer.body.isEmpty ? .null : try answer.json()
  }

  private func exchange(_ request: HTTPRequest) throws -> HTTPAnswer {
    guard process.isRunning else { throw TestFailure("the sandbox has ended: \(process.standardError.suffix(2000))") }
    return try LoopbackConnection.exchange(port: port, request)
  }
}
