import GatewayBase
import GatewayTesting
import Testing

/// A listener with `proxyProtocol: true` beside a plain one.
@Suite("PROXY protocol", .onWiresOfItsOwn) struct ProxyProtocolTests {
  private static let host = "announced.localhost"
  private let backend: ScriptedBackend
  private let gateway: GatewayProcess
  private let port: UInt16

  init() throws { try self.init(limits: "{ headTimeout: 1s }") }

  private init(limits: String) throws {
    backend = try ScriptedBackend()
    var tenant = TenantFile(205, Self.host, bundleIDs: ["com.example.announced"], ports: [backend.port])
    tenant.routes = ["{ path: /, backend: main, auth: none }"]
    gateway = try GatewayProcess(
      GatewaySetup(
        keysURL: try Stage.shared().sandbox.keysURL, tenants: ["announced.yaml": tenant.yaml],
        sections: [
          "listen": "[{ address: 127.0.0.1:0 }, { address: 127.0.0.1:0, proxyProtocol: true }]", "limits": limits,
        ]))
    let ports = gateway.process.lines.compactMap { line -> UInt16? in
      guard let record = try? JSON(parsing: Array(line.utf8)), record["message"].string == "listening",
        record["role"].string == "proxy"
      else { return nil }
      return record["address"].string?.split(separator: ":").last.flatMap { UInt16($0) }
    }
    guard ports.count == 2 else { throw TestFailure("two listeners are due: \(ports)") }
    port = ports[1]
  }

  private let request = HTTPRequest("GET", "/", host: Self.host)

  private func seen(behind announcement: [UInt8]) throws -> HTTPFields {
    let connection = try LoopbackConnection(port: port)
    defer { connection.close() }
    try connection.send(announcement + request.bytes)
    return try connection.receiveAnswer().echoedFields()
  }

  @Test("both versions tell the backend where the connection came from")
  func versions() throws {
    let text = Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8)
    #expect(try seen(behind: text).all("X-Forwarded-For") == ["192.0.2.1"])
    let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    let addresses: [UInt8] =
      [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 0, count: 16) + [0, 5, 1, 0xBB]
    let extra: [UInt8] = [0x04, 0, 2, 0, 0]
    let binary = signature + [0x21, 0x21, 0, UInt8(addresses.count + extra.count)] + addresses + extra
    #expect(try seen(behind: binary).all("X-Forwarded-For") == ["2001:db8::1"])
    #expect(try seen(behind: signature + [0x20, 0, 0, 0]).all("X-Forwarded-For") == ["127.0.0.1"])
  }

  @Test("there is no way in without an announcement, and none to announce where none is due")
  func strict() throws {
    for bytes in [request.bytes, Array("PROXY TCP4 1 2 3 4\r\n".utf8) + request.bytes, [0x16, 3, 1, 0, 5]] {
      let connection = try LoopbackConnection(port: port)
      defer { connection.close() }
      connection.sendIfPossible(bytes)
      #expect(try connection.receiveToEnd() == [])
    }
    let plain = try gateway.connect()
    defer { plain.close() }
    try plain.send(Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8) + request.bytes)
    #expect(try plain.receiveAnswer().status == 400)
  }

  @Test("a proxy that stays silent is given up")
  func silent() throws {
    let connection = try LoopbackConnection(port: port)
    try connection.send("PROXY TCP4 192.0.2.1")
    #expect(try connection.receiveToEnd() == [])
  }
}
