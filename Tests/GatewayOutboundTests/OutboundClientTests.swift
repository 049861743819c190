import Foundation
import GatewayBase
import GatewayOutbound
import Testing

/// Serialized: one of them sets the process's environment.
@Suite("Requests of our own", .serialized)
struct OutboundClientTests {
  private let client = OutboundClient(threads: 2)

  @Test("a GET brings status and body, and sends no more than it must")
  func get() async throws {
    let server = LoopbackServer { _ in answer("503 Service Unavailable", "<html>") }
    let response = try await client.send(.get(server.url("/auth/keys?a=%20b")))
    #expect(response.status == 503)
    #expect(response.body == Array("<html>".utf8))
    let request = try #require(server.exchanges.first?.request)
    #expect(request.hasPrefix("GET /auth/keys?a=%20b HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    #expect(!request.lowercased().contains("expect:"))
    #expect(!request.lowercased().contains("accept-encoding:"))
  }

  @Test("a fetch gives the body of a 200 and refuses every other status, with a body too")
  func fetch() async throws {
    let server = LoopbackServer { exchange in answer(exchange.request.contains("/good") ? "200 OK" : "203 Other", "{}")
    }
    #expect(try await client.fetch(server.url("/good")) == Array("{}".utf8))
    await #expect(throws: OutboundError.unexpectedStatus(203)) { try await client.fetch(server.url("/other")) }
  }

  @Test("a form is posted with every reserved character encoded")
  func form() async throws {
    let server = LoopbackServer { _ in answer() }
    let fields = [OutboundRequest.Field("a b", "1&2=3+é"), OutboundRequest.Field("c", "~-._")]
    #expect(try await client.send(.post(server.url("/token"), .form(fields))).status == 200)
    let request = try #require(server.exchanges.first?.request)
    #expect(request.hasPrefix("POST /token HTTP/1.1\r\n"))
    #expect(request.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
    #expect(request.hasSuffix("\r\n\r\na%20b=1%262%3D3%2B%C3%A9&c=~-._"))
  }

  @Test("JSON is posted byte for byte")
  func json() async throws {
    let server = LoopbackServer { _ in answer() }
    _ = try await client.send(.post(server.url("/"), .json(Array("{\"a\":\"\0\"}".utf8))))
    let request = try #require(server.exchanges.first?.request)
    #expect(request.contains("Content-Type: application/json\r\n"))
    #expect(request.hasSuffix("\r\n\r\n{\"a\":\"\0\"}"))
  }

  @Test("a POST before leaves nothing behind in the next request on the same connection")
  func reuse() async throws {
    let server = LoopbackServer { _ in answer() }
    _ = try await client.send(.post(server.url("/first"), .json(Array("{}".utf8))))
    _ = try await client.send(.get(server.url("/second")))
    #expect(server.exchanges.map(\.connection) == [1, 1])
    #expect(server.exchanges.last?.request.hasPrefix("GET /second HTTP/1.1\r\n") == true)
    #expect(server.exchanges.last?.request.contains("Content-") == false)
  }

  @Test("a redirect is an answer and is not followed")
  func redirect() async throws {
    let server = LoopbackServer { _ in answer("302 Found", "", "Location: /elsewhere\r\n") }
    #expect(try await client.send(.get(server.url("/"))).status == 302)
    #expect(server.exchanges.count == 1)
  }

  @Test("an answer over the limit fails, with a length and without")
  func tooLarge() async throws {
    let server = LoopbackServer { exchange in
      exchange.request.contains("/chunked")
        ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n12345\r\n5\r\n67890\r\n0\r\n\r\n"
        : answer("200 OK", "1234567890")
    }
    for target in ["/length", "/chunked"] {
      var request = OutboundRequest.get(try server.url(target))
      request.responseLimit = 10
      #expect(try await client.send(request).body == Array("1234567890".utf8))
      request.responseLimit = 9
      await #expect(throws: OutboundError.responseTooLarge) { try await client.send(request) }
    }
  }

  @Test("an answer that never comes ends at the time limit")
  func timeout() async throws {
    let server = LoopbackServer { _ in nil }
    var request = OutboundRequest.get(try server.url("/"))
    request.timeout = 50
    await #expect(throws: OutboundError.timedOut) { try await client.send(request) }
  }

  @Test("an answer that stops half-way, and one that is no HTTP, fail", arguments: [true, false])
  func broken(cut: Bool) async throws {
    let server = LoopbackServer { _ in
      cut ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf" : "no HTTP, Connection: close\r\n"
    }
    let url = try server.url("/?token=hidden")
    await #expect {
      try await client.send(.get(url))
    } throws: { error in
      if case .failed? = error as? OutboundError { !"\(error)".contains("hidden") } else { false }
    }
  }

  @Test("a port where nobody listens is unreachable")
  func unreachable() async throws {
    let server = LoopbackServer { _ in nil }
    let url = try server.url("/")
    server.stop()
    await #expect(throws: OutboundError.unreachable) { try await client.send(.get(url)) }
  }

  @Test("plain http to another machine is refused before anything is sent")
  func notConfidential() async throws {
    let url = try ServiceURL("http://192.0.2.1/")
    await #expect(throws: OutboundError.notConfidential) { try await client.send(.get(url)) }
  }

  @Test("proxies of the environment are not asked")
  func environmentProxy() async throws {
    let names = ["http_proxy", "all_proxy", "ALL_PROXY"]
    for name in names { unsafe setenv(name, "http://127.0.0.1:1", 1) }
    defer { for name in names { unsafe unsetenv(name) } }
    let server = LoopbackServer { _ in answer() }
    #expect(try await client.send(.get(server.url("/"))).status == 200)
  }

  @Test("a certificate that no trusted authority signed is refused")
  func untrusted() async throws {
    let server = try TLSServer()
    let url = try ServiceURL("https://localhost:\(server.port)/")
    await #expect(throws: OutboundError.untrusted) { try await client.send(.get(url)) }
    server.stop()
  }

  @Test("requests beyond the threads wait and are served")
  func concurrency() async throws {
    let server = LoopbackServer { _ in answer() }
    let url = try server.url("/")
    let client = client
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.send(.get(url)).status } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(server.exchanges.count == 20)
    #expect(Set(server.exchanges.map(\.connection)).count <= 2)
  }
}

/// OpenSSL's test server with a certificate that signs itself, on a port that the kernel picks.
private final class TLSServer {
  let port: Int
  private let process = Process()
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("outbound-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (key, certificate) = (folder.appendingPathComponent("key").path, folder.appendingPathComponent("cert").path)
    let maker = Process()
    maker.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    maker.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
    ]
    maker.standardError = FileHandle.nullDevice
    try maker.run()
    maker.waitUntilExit()
    let output = Pipe()
    // Without stdbuf its line with the port would stay in its buffer.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/stdbuf")
    process.arguments = [
      "-o0", "/usr/bin/openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = Pipe()
    try process.run()
    var text = ""
    var port: Int?
    while port == nil {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
      port = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .first { $0.hasPrefix("ACCEPT ") }
        .flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
    }
    self.port = try #require(port)
  }

  func stop() {
    kill(process.processIdentifier, SIGKILL)  // it may have inherited a blocked SIGTERM
    try? FileManager.default.removeItem(at: folder)
  }
}
