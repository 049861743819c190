import ProviderKit
import Testing

@testable import GatewayPlugins

@Suite("The messages of isolated plugins") struct MessageCoderTests {
  private static let app = AppDescription(appID: .max, name: "Zoë 🚲", bundleIDs: ["a", "b"], hasSignInKey: true)

  private static let host: [HostMessage] = [
    .call(id: 1, .signIn(SignInRequest(app: app, route: "/x", body: [0, 255], requestID: "r"))),
    .call(
      id: 2,
      .respond(
        PageRequest(
          visit: nil, path: "/p", query: ["a": "b"], form: [:], formToken: "t", scriptNonce: "n", address: "1",
          origin: "o", requestID: "r"))),
    .cancel(id: 3), .ping(.max >> 1), .serviceAnswer(id: 4, .done),
    .serviceAnswer(id: 4, .settings(["a": "", "": "b"])),
    .serviceAnswer(id: 5, .records([nil, ProviderRecord(key: "k", value: [], version: .min)])),
    .serviceAnswer(id: 6, .keyFailure(.unavailable(retryAfter: -1))), .serviceAnswer(id: 7, .bytes([])),
  ]
  private static let plugin: [PluginMessage] = [
    .hello(
      ProviderHello(
        manifest: ProviderManifest(name: "n", version: "1"),
        refusedCredential: ProviderFailure(status: 401, code: "c", message: "m", reason: "r"), isConfined: true)),
    .failed("no"), .pong(0), .answer(id: 1, .followUp(nil)), .answer(id: 1, .followUp([1, 2])),
    .answer(id: 2, .page(.page("<p>\("a<b")</p>", status: 404, retryAfter: 3))), .answer(id: 3, .outcome(.withdrawn)),
    .answer(
      id: 4,
      .identity(
        VerifiedIdentity(issuer: "i", subject: "s", replayKeys: [ReplayKey(digest: [1], expiresAt: 2)], followUp: []))),
    .service(id: 1, call: 2, .now), .service(id: 1, call: 2, .verify(token: "t", keySetURL: "u", algorithms: [.es256])),
    .service(id: 1, call: 2, .isPassword("p", derivation: nil)),
    .service(id: 1, call: 2, .commit([.put("k", [1], if: .version(3)), .remove("l", if: .absent)])),
  ]

  @Test("every message comes out as it went in")
  func roundTrip() throws {
    for message in Self.host {
      #expect(try MessageCoder.decode(HostMessage.self, from: MessageCoder.encode(message)) == message)
    }
    for message in Self.plugin {
      #expect(try MessageCoder.decode(PluginMessage.self, from: MessageCoder.encode(message)) == message)
    }
  }

  @Test("bytes cost a byte each, and a few besides")
  func compact() throws {
    let answer = PluginMessage.answer(id: 1, .followUp([UInt8](repeating: 200, count: 60_000)))
    #expect(try MessageCoder.encode(answer).count < 60_100)
  }

  @Test("numbers over 63 bits are refused, and those at the edges are not")
  func numbers() throws {
    #expect(throws: MessageFault.self) { try MessageCoder.encode(HostMessage.ping(.max)) }
    for number in [Int64.min, -1, 0, 1, 63, 64, .max] {
      #expect(try MessageCoder.decode([Int64].self, from: MessageCoder.encode([number])) == [number])
    }
    #expect(throws: MessageFault.self) { try MessageCoder.decode([Int8].self, from: MessageCoder.encode([128])) }
  }

  @Test("no part, no addition and no changed byte of a message can do harm; a part is never one")
  func hostile() throws {
    for message in Self.plugin {
      let bytes = try MessageCoder.encode(message)
      for end in 0..<bytes.count {
        #expect(throws: MessageFault.self) { try MessageCoder.decode(PluginMessage.self, from: Array(bytes[..<end])) }
      }
      #expect(throws: MessageFault.self) { try MessageCoder.decode(PluginMessage.self, from: bytes + [0]) }
      for index in bytes.indices {
        for value in [0, 1, 7, 8, 0x7F, 0x80, 0xFF] as [UInt8] {
          var changed = bytes
          changed[index] = value
          _ = try? MessageCoder.decode(PluginMessage.self, from: changed)
        }
      }
    }
  }

  @Test(
    "what claims to be huge, or is nested without end, is refused before anything is made of it",
    arguments: [
      [7, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [8, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [5, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
      [6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [UInt8](repeating: 0xFF, count: 20), [9], [],
      (0..<64).flatMap { _ in [7, 1] as [UInt8] } + [0], [8, 2, 1, 0x61, 0, 1, 0x61, 0], [5, 1, 0xFF],
    ] as [[UInt8]])
  func bounds(bytes: [UInt8]) {
    #expect(throws: MessageFault.self) { try MessageReader.value(of: bytes) }
  }

  @Test("a frame comes whole, however it is cut, and one over the limit never")
  func frames() throws {
    let messages = [[], [1], [UInt8](repeating: 7, count: 3000)] as [[UInt8]]
    let stream = try messages.flatMap { try Frame.bytes($0) }
    for size in [1, 2, 5, 1000, stream.count] {
      var (reader, read) = (FrameReader(), [[UInt8]]())
      for start in stride(from: 0, to: stream.count, by: size) {
        reader.append(stream[start..<min(stream.count, start + size)])
        while let message = try reader.next() { read.append(message) }
      }
      #expect(read == messages)
    }
    var reader = FrameReader()
    reader.append([0, 0x40, 0, 1])
    #expect(throws: MessageFault.self) { try reader.next() }
    #expect(throws: MessageFault.self) { try Frame.bytes([UInt8](repeating: 0, count: 4 * 1024 * 1024 + 1)) }
  }
}
