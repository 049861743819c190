import GatewayBase
import GatewayIO
import Testing

@testable import GatewayIdentity

@Suite("Sealing keys") struct SealingKeysTests {
  private let context = SealingContext(.grant, owner: "u", name: "c")
  private let secret = Array("secret".utf8)

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = "/tmp/sealing-\(UUIDText.random())"
    defer {
      if let open = try? PrivateFolder(existing: folder) {
        try? open.exclusively { changes throws(PrivateFolder.Problem) in
          for name in try open.names() { try changes.remove(name) }
          try changes.remove(".lock")
        }
        removeFolder(folder)
      }
    }
    try body(folder)
  }

  @Test("what one process sealed another opens, before and after a rotation of either")
  func rotation() throws {
    try withFolder { folder in
      let first = try SealingKeys(folder: folder)
      let old = try first.seal(secret, context)
      let second = try SealingKeys(folder: folder)
      #expect(second.open(old, context) == secret)
      try second.rotate()
      #expect(second.activeID != first.activeID)
      let new = try second.seal(secret, context)
      #expect(first.open(new, context) == secret, "the new key is looked for")
      #expect(first.open(old, context) == secret && second.open(old, context) == secret)
      #expect(first.isCurrent(new) && !first.isCurrent(old))
    }
  }

  @Test("a secret opens for its own kind, user and client alone")
  func binding() throws {
    let keys = SealingKeys(.generate())
    let sealed = try keys.seal(secret, context)
    #expect(keys.open(sealed, context) == secret)
    for other in [
      SealingContext(.followUp, owner: "u", name: "c"), SealingContext(.grant, owner: "v", name: "c"),
      SealingContext(.grant, owner: "u", name: "d"), SealingContext(.grant, owner: "u\nc", name: ""),
    ] { #expect(keys.open(sealed, other) == nil) }
    #expect(SealingKeys(.generate()).open(sealed, context) == nil)
    #expect(keys.open([], context) == nil && keys.open([1, 2, 3], context) == nil)
  }

  @Test("a file that is no key stops the start")
  func badFile() throws {
    try withFolder { folder in
      _ = try SealingKeys(folder: folder)
      let open = try #require(try PrivateFolder(existing: folder))
      try open.exclusively { changes throws(PrivateFolder.Problem) in try changes.put("1-a.key", [1, 2, 3]) }
      #expect(throws: PrivateFolder.Problem.self) { try SealingKeys(folder: folder) }
    }
  }
}
