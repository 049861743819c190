import Foundation
import GatewayBase
import GatewayConfig
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayServer

/// What the gateway makes of the folder of tenant files at each look.
@Suite("Tenant files") struct TenantFilesTests {
  private let folder: TemporaryFolder
  private let files: TenantFiles

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("tenants/a.yaml", yaml(1, "a.localhost"))
    try folder.write("tenants/team/b.yaml", yaml(2, "b.localhost"))
    files = TenantFiles(
      try gateway("tenants: \(folder.path("tenants"))"), environment: [:], logger: Logger(level: .error))
  }

  private var apps: [Int64] { files.directory(reusing: nil).apps.keys.sorted() }

  private var codes: [String] { files.problems.map(\.code.rawValue) }

  private func move(_ name: String, _ other: String) throws {
    try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path(other))
  }

  private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.path(name)) }

  /// A link to itself: looking at it fails, and yet it is there.
  private func makeUnreadable(_ name: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: folder.path(name))
  }

  @Test("a look that finds nothing new changes nothing")
  func unchanged() {
    #expect(apps == [1, 2])
    #expect(!files.refresh(force: false))
    #expect(files.problems.isEmpty)
  }

  @Test("GW-83 a folder that is gone or unreadable unloads no app, is told once, and is read as soon as it is back")
  func goneFolder() throws {
    for isUnreadable in [false, true] {
      try move("tenants", "elsewhere")
      if isUnreadable { try makeUnreadable("tenants") }
      #expect(files.refresh(force: false), "the problem is new")
      for force in [false, false, true] { _ = files.refresh(force: force) }
      #expect(!files.refresh(force: false), "the problem is known")
      #expect(apps == [1, 2])
      #expect(codes == ["unreadable_file"])
      if isUnreadable { try remove("tenants") }
      try move("elsewhere", "tenants")
      #expect(files.refresh(force: false), "the problem is gone")
      #expect(apps == [1, 2])
      #expect(codes == [])
    }
  }

  @Test("a sub-folder that can't be read unloads none of its apps, and the others are read as ever")
  func unreadableSubfolder() throws {
    try move("tenants/team", "elsewhere")
    try makeUnreadable("tenants/team")
    try folder.write("tenants/c.yaml", yaml(3, "c.localhost"))
    try remove("tenants/a.yaml")
    for _ in 0..<3 { _ = files.refresh(force: false) }
    #expect(apps == [2, 3])
    #expect(codes == ["unreadable_file"])
    try remove("tenants/team")
    for _ in 0..<2 { _ = files.refresh(force: false) }
    #expect(apps == [3], "now it is known that the folder is gone")
  }

  @Test("GW-81 a file goes when two looks in a row miss it, also where the looks are forced", arguments: [false, true])
  func removed(isForced: Bool) throws {
    try remove("tenants/a.yaml")
    _ = files.refresh(force: isForced)
    #expect(apps == [1, 2])
    #expect(files.refresh(force: isForced))
    #expect(apps == [2])
    #expect(files.states.map(\.count) == [1, 0, 0])
  }

  @Test("GW-81 a file that is renamed away and back stays, however often one look misses it")
  func renamed() throws {
    for _ in 0..<3 {
      try move("tenants/a.yaml", "x")
      _ = files.refresh(force: false)
      #expect(apps == [1, 2])
      try move("x", "tenants/a.yaml")
      _ = files.refresh(force: false)
      #expect(apps == [1, 2])
    }
  }

  @Test("a folder between two looks is no look that misses its files")
  func goneBetween() throws {
    try move("tenants/a.yaml", "x")
    _ = files.refresh(force: false)
    try move("tenants", "elsewhere")
    _ = files.refresh(force: false)
    try move("elsewhere", "tenants")
    _ = files.refresh(force: false)
    #expect(apps == [1, 2])
    _ = files.refresh(force: false)
    #expect(apps == [2])
  }

  @Test(
    "GW-79 a file that is emptied, half written or unreadable keeps its last good version, and is read when it is whole"
  )
  func damaged() throws {
    let whole = yaml(1, "z.localhost")
    for text in ["", String(whole.prefix(40)), "appId: ["] {
      try folder.write("tenants/a.yaml", text)
      #expect(files.refresh(force: false))
      #expect(files.directory(reusing: nil).app(at: HostName(literal: "a.localhost")) != nil)
      #expect(files.states.map(\.count) == [1, 1, 0])
    }
    try remove("tenants/a.yaml")
    try makeUnreadable("tenants/a.yaml")
    #expect(files.refresh(force: false))
    #expect(!files.refresh(force: false), "told once")
    #expect(apps == [1, 2])
    try remove("tenants/a.yaml")
    try folder.write("tenants/a.yaml", whole)
    #expect(files.refresh(force: false))
    #expect(files.directory(reusing: nil).app(at: HostName(literal: "z.localhost")) != nil)
    #expect(codes == [])
  }

  @Test("a folder that comes after the start is read")
  func late() throws {
    let late = TenantFiles(
      try gateway("tenants: \(folder.path("later"))"), environment: [:], logger: Logger(level: .error))
    #expect(late.problems.map(\.code.rawValue) == ["unreadable_file"])
    try folder.write("later/a.yaml", yaml(1, "a.localhost"))
    #expect(late.refresh(force: false))
    #expect(late.directory(reusing: nil).apps.count == 1)
  }
}
