import Foundation
import Testing

@testable import SpeedAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SpeedAuth: what outlives the process") struct StorageTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "speed-auth-\(UUID().uuidString)")

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test("the file and its folder are the owner's alone after each change")
  func modes() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let deep = folder.appending(path: "deep")
    let file = deep.appending(path: "session.json")
    let storage = FileStorage(deep)
    #expect(try storage.load() == nil)
    for name in ["a", "b"] {
      var record = SessionRecord()
      record.declined = [name]
      try storage.save(record)
      #expect(try mode(deep.path) == 0o700 && mode(file.path) == 0o600)
      #expect(try storage.load() == record)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: deep.path) == ["session.json"])
    // What others could read is closed to them by the next change.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: deep.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    try storage.save(SessionRecord())
    #expect(try mode(deep.path) == 0o700 && mode(file.path) == 0o600)
  }

  @Test("the next process goes on with the session, the way of the sign-in and the user's no")
  func survives() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let storage = FileStorage(folder)
    let script: @Sendable (URLRequest) -> StubTransport.Answer = { request in
      request.call == "me"
        ? StubTransport.refusal(401, "invalid_token")
        : StubTransport.signIn("t1", extra: #","linkSuggestion":"matching_email""#)
    }
    let first = try stubClient(storage: storage) { script($0) }
    let signIn = try await first.signIn(.stub())
    #expect(signIn.offer == .atEverySignIn)
    try await first.declineLinking()
    let second = try stubClient(storage: storage) { script($0) }
    #expect(try await second.session == signIn.session)
    #expect(try await second.signIn(.stub()).offer == .inSettings)
    await #expect(throws: SpeedAuthError.sessionEnded(.apple)) { try await second.me() }
    let third = try stubClient(storage: storage) { script($0) }
    #expect(try await third.session == nil)
    #expect(try await third.method == .apple)
  }

  @Test("a record that can't be read is told, not replaced; one that can't be kept costs nothing now")
  func failures() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "session.json")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("{".utf8).write(to: file)
    let client = try stubClient(storage: FileStorage(folder)) { _ in StubTransport.signIn("t1") }
    await #expect {
      try await client.signIn(.stub())
    } throws: { error in
      if case .storage = error as? SpeedAuthError { true } else { false }
    }
    #expect(try Data(contentsOf: file) == Data("{".utf8))
    let full = try stubClient(storage: FullStorage()) { _ in StubTransport.signIn("t1") }
    var events = await full.events().makeAsyncIterator()
    #expect(try await full.signIn(.stub()).session.token.text == "t1")
    guard case .notStored = await events.next(), case .signedIn = await events.next() else {
      Issue.record("the failure is not told")
      return
    }
    #expect(try await full.session?.token.text == "t1")
  }

  private struct FullStorage: SessionStorage {
    func load() -> SessionRecord? { nil }
    func save(_ record: SessionRecord) throws { throw CocoaError(.fileWriteOutOfSpace) }
  }
}
