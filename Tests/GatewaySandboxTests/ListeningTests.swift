import Foundation
import GatewayBase
import GatewayCrypto
import GatewaySandbox
import Testing

@Suite("The sandbox on a socket") struct ListeningTests {
  private static let quiet = Logger(level: .error)

  /// Runs curl and returns its exit status and output.
  private func curl(_ arguments: String...) async throws -> (status: Int32, output: [UInt8]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["curl", "--silent", "--show-error", "--noproxy", "*"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        do {
          try process.run()
          let bytes = output.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          continuation.resume(returning: (process.terminationStatus, [UInt8](bytes)))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  @Test("curl gets a token of the listening address whose key is in the served set, and a thousand in one answer")
  func overSocket() async throws {
    let sandbox = try await Sandbox.start(listen: "127.0.0.1:0", logger: Self.quiet)
    #expect(sandbox.address.port != 0)
    let base = "http://\(sandbox.address)"
    let set = try JSONWebKeySet(parsing: try await curl("\(base)/auth/keys").output)
    let body = #"{"aud":"com.example.a"}"#
    let minted = try await curl("\(base)/sandbox/identity-token", "--data", body)
    let token = try SignedToken(try JSONValue(parsing: minted.output))
    #expect(token.isSigned(in: set))
    #expect(token.claims["iss"]?.string == base)
    let batch = try await curl("\(base)/sandbox/identity-token", "--data", #"{"count":1000}"#)
    #expect(try JSONValue(parsing: batch.output)["tokens"]?.array?.count == 1000)
    let refused = try await curl("\(base)/sandbox/identity-token", "--data", "aud=x", "--write-out", "%{http_code}")
    #expect(String(decoding: refused.output, as: UTF8.self).hasSuffix("400"))
  }

  @Test("a slow key set keeps its client waiting while others are served")
  func slow() async throws {
    let sandbox = try await Sandbox.start(listen: "127.0.0.1:0", logger: Self.quiet, slowness: .seconds(3600))
    let base = "http://\(sandbox.address)"
    _ = try await curl("\(base)/sandbox/failures", "--data", #"{"keys":"slow"}"#)
    async let waiting = curl("\(base)/auth/keys", "--max-time", "2")
    var counters = JSONValue.null
    while counters["keys"]?.integer != 1 {
      let answer = try await curl("\(base)/sandbox/counters", "--max-time", "60")
      try #require(answer.status == 0, "the loop is not held up")
      counters = try JSONValue(parsing: answer.output)
    }
    #expect(try await waiting.status == 28, "curl's exit status for a time limit")
  }

  @Test(
    "an address that is no loopback address and port is refused",
    arguments: [
      ("0.0.0.0:9400", Sandbox.Failure.notLoopback), ("[::]:0", .notLoopback), ("192.0.2.1:80", .notLoopback),
      ("", .notAnAddress), (":9400", .notAnAddress), ("127.0.0.1", .notAnAddress), ("127.0.0.1:", .notAnAddress),
      ("127.0.0.1:65536", .notAnAddress), ("127.0.0.1:+80", .notAnAddress), ("localhost:80", .notAnAddress),
      ("::1:80", .notAnAddress), ("[127.0.0.1]:80", .notAnAddress), ("[]:80", .notAnAddress), ("[::1]", .notAnAddress),
    ])
  func address(text: String, failure: Sandbox.Failure) async {
    await #expect(throws: failure) { try await Sandbox.start(listen: text, logger: Self.quiet) }
  }

  @Test("the help lists the doors that are there")
  func help() {
    for path in ["/auth/keys", "/sandbox/identity-token", "/sandbox/keys/rotate", "/sandbox/failures", "/auth/token"] {
      #expect(Sandbox.doors.contains(path))
    }
  }
}
