import GatewayBase
import Testing

@Suite struct SocketAddressTests {
  @Test(
    "Literals are read and written in one form",
    arguments: [
      ("127.0.0.1", "127.0.0.1:80"), ("255.255.255.255", "255.255.255.255:80"), ("::1", "[::1]:80"),
      ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"), ("::", "[::]:80"),
    ])
  func literals(literal: String, description: String) {
    #expect(SocketAddress(literal: literal, port: 80)?.description == description)
  }

  @Test(
    "What is no literal is none",
    arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "::1::", "1.2.3.4:80", " 1.2.3.4"])
  func noLiterals(text: String) {
    #expect(SocketAddress(literal: text, port: 80) == nil)
  }

  @Test("GW-103 an IPv4 address carried by IPv6 is the IPv4 address")
  func mapped() {
    let plain = SocketAddress(literal: "10.0.0.1", port: 1)
    #expect(SocketAddress(literal: "::ffff:10.0.0.1", port: 1) == plain)
  }

  @Test("Loopback is 127.0.0.0/8 and ::1, mapped or not")
  func loopback() {
    let isLoopback = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "128.0.0.1", "::2", "10.0.0.1"]
      .map { SocketAddress(literal: $0, port: 0)?.isLoopback }
    #expect(isLoopback == [true, true, true, true, false, false, false])
  }

  @Test("an address with a port has brackets around IPv6, and IPv4-mapped ones are IPv4")
  func socketAddress() throws {
    for text in ["127.0.0.1:80", "[::1]:0", "[2001:db8::1]:65535"] {
      #expect(try SocketAddress(text).description == text)
    }
    #expect(try SocketAddress("[::ffff:10.0.0.1]:80").description == "10.0.0.1:80")
    for text in ["10.0.0.1", "10.0.0.1:", "10.0.0.1:65536", "10.0.0.1:080", "10.0.0.1:+1", "", "[::1]"] {
      #expect(throws: SocketAddress.Problem.port) { try SocketAddress(text) }
    }
    for text in [":80", "::1:80", "[10.0.0.1]:80", "a:80", "[]:80", "[::1:80", "]:80"] {
      #expect(throws: SocketAddress.Problem.host) { try SocketAddress(text) }
    }
  }
}
