import Foundation
import Testing

@testable import GatewayConfig

@Suite("Files and folders") struct FileSystemTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("tenants/a.yaml", "")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/tenants/loop", withDestinationPath: "\(folder.path)/tenants/loop")
  }

  @Test("only what is not there is absent: what can't be looked at is an error")
  func kinds() throws {
    #expect(try FileSystem.kind(of: "\(folder.path)/tenants") == .folder)
    #expect(try FileSystem.kind(of: "\(folder.path)/tenants/a.yaml") == .file)
    #expect(try FileSystem.kind(of: "\(folder.path)/none") == .absent)
    #expect(try FileSystem.kind(of: "\(folder.path)/tenants/a.yaml/b") == .absent)
    #expect(try FileSystem.kind(of: "/dev/null") == .other)
    #expect(throws: FileSystem.Fault.self) { try FileSystem.kind(of: "\(folder.path)/tenants/loop") }
  }

  @Test("GW-83 a listing tells which files it leaves open")
  func listing() {
    let listing = TenantFolder.list("\(folder.path)/tenants")
    #expect(listing.paths == ["\(folder.path)/tenants/a.yaml"])
    #expect(listing.problems.brief == ["0:0 warning unreadable_file"])
    #expect(listing.leavesOpen("\(folder.path)/tenants/loop/b.yaml"))
    #expect(listing.leavesOpen("\(folder.path)/tenants/loop"))
    #expect(!listing.leavesOpen("\(folder.path)/tenants/loop.yaml"))
    #expect(!listing.leavesOpen("\(folder.path)/tenants/b.yaml"))
    let gone = TenantFolder.list("\(folder.path)/gone/")
    #expect(gone.paths.isEmpty && gone.leavesOpen("\(folder.path)/gone/b.yaml"))
  }
}
