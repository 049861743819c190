import Foundation
import GatewayIO
import Testing

@Suite("Folders of private files")
struct PrivateFolderTests {
  private let root = FileManager.default.temporaryDirectory.appendingPathComponent("private-\(UUID().uuidString)").path

  private func cleaningUp(_ body: () throws -> Void) throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try body()
  }

  @Test("the folder is made with those above it, and a file put there is read back and listed")
  func roundTrip() throws {
    try cleaningUp {
      let folder = try PrivateFolder(path: root + "/a/b")
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      try folder.exclusively { changes throws(PrivateFolder.Problem) in
        try changes.put("two", bytes)
        try changes.put("one", [])
      }
      #expect(try folder.names() == ["one", "two"])
      #expect(try folder.read("two", limit: bytes.count) == bytes)
      #expect(try folder.read("one", limit: 0) == [])
      #expect(throws: PrivateFolder.Problem.self) { try folder.read("two", limit: bytes.count - 1) }
      try folder.exclusively { changes throws(PrivateFolder.Problem) in
        try changes.put("one", [1])
        try changes.remove("two")
      }
      #expect(try folder.read("one", limit: 10) == [1])
      #expect(try folder.names() == ["one"])
    }
  }

  @Test("what is no folder and what is no file is refused with its path")
  func wrongKind() throws {
    try cleaningUp {
      let folder = try PrivateFolder(path: root)
      try folder.exclusively { changes throws(PrivateFolder.Problem) in try changes.put("file", []) }
      #expect(throws: PrivateFolder.Problem.self) { try PrivateFolder(path: root + "/file") }
      #expect(throws: PrivateFolder.Problem.self) { try PrivateFolder(path: root + "/file/below") }
      _ = try PrivateFolder(path: root + "/sub")
      let problem = #expect(throws: PrivateFolder.Problem.self) { try folder.read("sub", limit: 10) }
      #expect(problem?.description == root + "/sub: is no file")
      #expect(throws: PrivateFolder.Problem.self) { try folder.read("absent", limit: 10) }
    }
  }
}
