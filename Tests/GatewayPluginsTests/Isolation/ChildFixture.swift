import Foundation
import GatewayBase
import Glibc
import ProviderKit

@testable import GatewayPlugins

/// The process of an isolated plugin, driven by a test in place of the gateway's supervisor. Used by the thread that
/// made it, with which the process ends: so the tests wait, and are not `async`.
final class ChildFixture {
  /// The plugin that does what it is told, compiled once.
  static let misbehaving = Result {
    let workshop = try PluginWorkshop()
    try workshop.addMisbehaving()
    return try workshop.libraryBytes("misbehaving")
  }

  let hello: ProviderHello
  private let process: PluginProcess
  private var heard: [PluginMessage] = []
  private var lastCall: UInt64 = 0

  /// A process that has loaded the plugin that does what it is told.
  convenience init(memory: UInt64 = UInt64(Limits.pluginMemory)) throws {
    let workshop = try PluginWorkshop()
    try workshop.add("misbehaving", libraryBytes: Self.misbehaving.get())
    try self.init(library: "\(workshop.folder)/misbehaving/fixture.so", name: "misbehaving", memory: memory)
  }

  init(library: String, name: String, memory: UInt64 = UInt64(Limits.pluginMemory)) throws {
    process = try PluginProcess(
      library: IsolatedLibrary(path: library, name: name, version: "1.0.0", memory: memory, timeout: 15_000),
      host: PluginWorkshop.host())
    let first = try? Self.next(of: process, &heard)
    guard case .hello(let hello) = first else {
      _ = process.end()
      throw Ended(told: first)
    }
    self.hello = hello
  }

  deinit { _ = process.end() }

  struct Surprise: Error {}

  /// The process did not begin, but told something else, or nothing.
  struct Ended: Error {
    let told: PluginMessage?
  }

  private static func next(of process: PluginProcess, _ heard: inout [PluginMessage]) throws -> PluginMessage {
    while heard.isEmpty {
      var entry = pollfd(fd: process.socket, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, 30_000) > 0 else { throw Surprise() }
      heard += try process.receive()
    }
    return heard.removeFirst()
  }

  func say(_ message: HostMessage) throws { try sayBytes(Frame.bytes(MessageCoder.encode(message))) }

  func sayBytes(_ bytes: [UInt8]) throws {
    try process.send(bytes)
    while process.wantsToSend {
      usleep(1000)
      try process.flush()
    }
  }

  /// What the process says next.
  func next() throws -> PluginMessage { try Self.next(of: process, &heard) }

  /// Whether the process says something within so many milliseconds.
  func speaks(within time: Int32) -> Bool {
    var entry = pollfd(fd: process.socket, events: Int16(POLLIN), revents: 0)
    guard heard.isEmpty else { return true }
    return unsafe poll(&entry, 1, time) > 0
  }

  /// Has the plugin do what it is told, without waiting.
  @discardableResult
  func begin(_ order: String) throws -> UInt64 {
    lastCall += 1
    try say(.call(id: lastCall, .signIn(Self.request(order))))
    return lastCall
  }

  /// Has the plugin do what it is told.
  ///
  /// - Parameter serve: answers what the plugin wants of the gateway.
  func ask(_ order: String, serve: (ServiceCall) -> ServiceAnswer = { _ in .done }) throws -> ProviderAnswer {
    let call = try begin(order)
    while true {
      switch try next() {
      case .answer(call, let answer): return answer
      case .service(let id, call, let question): try say(.serviceAnswer(id: id, serve(question)))
      default: throw Surprise()
      }
    }
  }

  /// The subject of the identity that an order brings.
  func subject(_ order: String, serve: (ServiceCall) -> ServiceAnswer = { _ in .done }) throws -> String {
    guard case .identity(let identity) = try ask(order, serve: serve) else { throw Surprise() }
    return identity.subject
  }

  /// How the process ends where it ends by itself.
  func end() -> String {
    do {
      while true { _ = try next() }
    } catch {
      return process.end()
    }
  }

  static func request(_ order: String) -> SignInRequest {
    SignInRequest(
      app: AppDescription(appID: 1, name: "Alpha"), route: "/misbehaving", body: Array(#"{"do":"\#(order)"}"#.utf8),
      requestID: "r")
  }
}
