import Foundation
import GatewayBase
import GatewayCrypto
import GatewayIdentity
import Testing

@Suite("The gateway's signing keys")
struct SigningKeysTests {
  private let folder: TemporaryFolder
  private let clock = TokenClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(lifetime: Int64 = 1000) throws -> SigningKeys {
    try SigningKeys(folder: folder.keys, tokenLifetime: lifetime, clock: clock)
  }

  private func publishedIDs(_ keys: SigningKeys) throws -> [String] {
    let set = try JSONValue(parsing: keys.jwks)
    return try #require(set["keys"]?.array).compactMap { $0["kid"]?.string }
  }

  @Test("a first start makes one key that only this user may read, and the next start finds it")
  func firstStart() throws {
    let keys = try open()
    let file = try #require(try folder.keyFiles().first)
    #expect(try folder.keyFiles().count == 1)
    #expect(try folder.mode(folder.keys) == 0o700)
    #expect(try folder.mode("\(folder.keys)/\(file)") == 0o600)
    #expect(file == "\(clock.now.milliseconds)-\(keys.active.kid).pem")
    #expect(try open().active.kid == keys.active.kid)
    #expect(keys.list().map(\.kid) == [keys.active.kid])
    #expect(keys.list().map(\.created) == [clock.now])
    #expect(keys.list().map(\.verifiesUntil) == [nil])
  }

  @Test("to ask whether there is a key makes neither key nor folder")
  func existence() throws {
    for _ in 1...2 { #expect(try !SigningKeys.exist(in: folder.keys)) }
    _ = try open()
    #expect(try SigningKeys.exist(in: folder.keys))
  }

  @Test("many that start at once end up with one key")
  func concurrentStart() async throws {
    let path = folder.keys
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try SigningKeys(folder: path).active.kid } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(try folder.keyFiles().count == 1)
  }

  @Test("after a rotation the new key signs, and the old one verifies until its last token has ended")
  func rotation() throws {
    let keys = try open()
    let old = keys.active.kid
    clock.advance(seconds: 10)
    try keys.rotate()
    let new = keys.active.kid
    #expect(new != old)
    #expect(try publishedIDs(keys) == [new, old])
    #expect(keys.list().map(\.verifiesUntil) == [nil, clock.now.adding(seconds: 1060)])
    clock.advance(seconds: 1059)
    #expect(keys.verifyingKey(kid: old) != nil)
    clock.advance(seconds: 1)
    #expect(keys.verifyingKey(kid: old) == nil)
    #expect(keys.verifyingKey(kid: new) != nil)
    #expect(try publishedIDs(keys) == [new])
  }

  @Test("a rotation removes the files of keys that verify nothing any more")
  func pruning() throws {
    let keys = try open()
    let first = keys.active.kid
    try keys.rotate()
    #expect(try folder.keyFiles().count == 2)
    clock.advance(seconds: 2000)
    try keys.rotate()
    #expect(try folder.keyFiles().count == 2)
    #expect(!keys.list().map(\.kid).contains(first))
  }

  @Test("the new key is the newest even where the clock went back")
  func clockWentBack() throws {
    let keys = try open()
    let old = keys.active.kid
    clock.advance(seconds: -100_000)
    try keys.rotate()
    #expect(keys.active.kid != old)
    #expect(keys.verifyingKey(kid: old) != nil)
    #expect(try open().active.kid == keys.active.kid)
  }

  @Test("a rotation by another process is seen by a reload, and at once where a token names its key")
  func otherProcess() throws {
    let running = try open()
    let command = try open()
    #expect(try running.reload() == false)
    try command.rotate()
    #expect(running.active.kid != command.active.kid)
    #expect(running.verifyingKey(kid: command.active.kid) == command.active.verifyingKey)
    #expect(running.active.kid == command.active.kid)
    try command.rotate()
    #expect(try running.reload())
    #expect(running.active.kid == command.active.kid)
  }

  @Test("a key file that others may read stops a start with the remedy, and so does a folder that others may write")
  func permissions() throws {
    _ = try open()
    let file = "\(folder.keys)/\(try #require(try folder.keyFiles().first))"
    for mode in [0o640, 0o604, 0o620] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let problem = #expect(throws: SigningKeys.Problem.self) { try open() }
      #expect(problem?.path == file)
      #expect(problem?.reason.contains("chmod 600") == true)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.keys)
    #expect(throws: SigningKeys.Problem.self) { try open() }
  }

  @Test("a damaged, foreign or misnamed key file stops a start and is named; no part of it is shown")
  func badFiles() throws {
    let keys = try open()
    let pem = try keys.active.pem().reveal()
    let contents: [(String, [UInt8], String)] = [
      ("notes.txt", [], "its name must be"),
      ("1-\(keys.active.kid).pem", Array(pem.prefix(80)), "no unencrypted private key"),
      ("1-other.pem", pem, "another key"), ("x-\(keys.active.kid).pem", pem, "its name must be"),
      ("1-big.pem", [UInt8](repeating: 65, count: Limits.keyFile + 1), "larger"),
      ("99999999999999999999-\(keys.active.kid).pem", pem, "its name must be"),
    ]
    for (name, bytes, reason) in contents {
      let path = "\(folder.keys)/\(name)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let problem = #expect(throws: SigningKeys.Problem.self, "\(name)") { try open() }
      #expect(problem?.path == path)
      #expect(problem?.reason.contains(reason) == true, "\(name)")
      #expect(throws: SigningKeys.Problem.self) { try keys.reload() }
      #expect(keys.verifyingKey(kid: keys.active.kid) != nil, "the keys in memory stay")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("a folder that is emptied under a running gateway leaves its keys in memory")
  func emptied() throws {
    let keys = try open()
    for file in try folder.keyFiles() { try FileManager.default.removeItem(atPath: "\(folder.keys)/\(file)") }
    #expect(throws: SigningKeys.Problem.self) { try keys.reload() }
    #expect(keys.verifyingKey(kid: keys.active.kid) != nil)
  }

  @Test("a half-written file of a crash is no key and does not stand in the way of the next")
  func crash() throws {
    let keys = try open()
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder.keys)/.new"))
    try keys.rotate()
    #expect(try open().list().count == 2)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.keys)/.new"))
  }

  @Test("the published set holds no private part")
  func published() throws {
    let set = try JSONValue(parsing: try open().jwks)
    let key = try #require(set["keys"]?.array?.first?.object)
    #expect(Set(key.keys) == ["kty", "crv", "x", "y", "kid", "use", "alg"])
  }
}
