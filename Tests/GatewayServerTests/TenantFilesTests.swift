import Foundation
import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayServer

/// What the gateway makes of the folder of tenant files as time passes. The kernel tells of a change before the call
/// that makes it returns, so nothing here waits.
@Suite("Tenant files") struct TenantFilesTests {
  private let watched: WatchedFolder

  init() throws {
    watched = try WatchedFolder(["a.yaml": yaml(1, "a.localhost"), "team/b.yaml": yaml(2, "b.localhost")])
  }

  @Test("a look that finds nothing new changes nothing, also over a whole round of all files")
  func unchanged() {
    #expect(watched.apps == [1, 2])
    for _ in 0..<30 { watched.pass(100) }
    #expect(watched.updates.isEmpty && watched.files.problems.isEmpty)
  }

  @Test("a link that leads to a folder above the tenants' own is not followed, or all of the machine would be read")
  func linkUp() throws {
    try watched.write("../beside.yaml", yaml(3, "c.localhost"))
    try watched.link("up", to: "..")
    try watched.link("team/root", to: "/")
    watched.settle()
    watched.settle()
    #expect(watched.apps == [1, 2] && watched.codes.isEmpty)
    try watched.link("sibling.yaml", to: watched.path("../beside.yaml"))
    watched.settle()
    #expect(watched.apps == [1, 2, 3])
  }

  @Test("a change is live a fifth of a second after it, and by an editor's rename, and touches no other app")
  func changed() throws {
    let other = try #require(watched.files.directory.apps[2]?.tenant)
    try watched.write("a.yaml", yaml(1, "x.localhost"))
    watched.pass(0)
    watched.pass(199)
    #expect(watched.leads("a.localhost", to: 1))
    watched.pass(1)
    #expect(watched.leads("x.localhost", to: 1) && watched.leads("a.localhost", to: nil))
    try watched.write("a.yaml.new~", yaml(1, "y.localhost"))
    try watched.rename("a.yaml.new~", "a.yaml")
    watched.settle()
    #expect(watched.leads("y.localhost", to: 1))
    #expect(watched.files.directory.apps[2]?.tenant === other)
    #expect(watched.updates.map { $0.new.map(\.appID) } == [[1], [1]])
  }

  @Test(
    "GW-79 a file is read when two looks find it the same; emptied, half written or broken, its last good version stays"
  )
  func halfWritten() throws {
    let whole = yaml(1, "z.localhost")
    try watched.write("a.yaml", "")
    for count in [0, 10, 40, whole.utf8.count - 1] {
      // Each time a little more, before it has been the same for long enough.
      try watched.write("a.yaml", String(whole.prefix(count)))
      watched.pass(150)
    }
    #expect(watched.codes == [] && watched.leads("a.localhost", to: 1), "it was never read")
    for text in ["", String(whole.prefix(40)), "appId: ["] {
      try watched.write("a.yaml", text)
      watched.settle()
      watched.settle()
      #expect(watched.leads("a.localhost", to: 1))
      #expect(watched.states == ["ok": 1, "stale": 1, "refused": 0])
    }
    try watched.write("a.yaml", whole)
    watched.settle()
    #expect(watched.leads("z.localhost", to: 1) && watched.codes == [])
  }

  @Test("GW-81 a file that is missing stays for a grace time, is warned of, and goes as an event of its own")
  func removed() throws {
    try watched.remove("a.yaml")
    watched.pass(0)
    watched.pass(200)
    #expect(watched.log.contains("a tenant file is missing"))
    watched.pass(200)
    #expect(watched.apps == [1, 2])
    watched.pass(200)
    #expect(watched.apps == [2])
    #expect(watched.log.contains("a tenant file was removed"))
    #expect(watched.states == ["ok": 1, "stale": 0, "refused": 0])
    #expect(watched.updates.map { $0.gone.map(\.appID) } == [[1]])
  }

  @Test("GW-81 a file that is renamed away and back stays, however often, and whether or not all are read meanwhile")
  func renamed() throws {
    for isForced in [false, true, false] {
      try watched.rename("a.yaml", "../x")
      watched.pass(0)
      watched.pass(300)
      if isForced { watched.readAll() }
      #expect(watched.apps == [1, 2])
      try watched.rename("../x", "a.yaml")
      watched.settle()
      watched.pass(1000)
      #expect(watched.apps == [1, 2])
    }
    #expect(watched.updates.isEmpty)
  }

  @Test("a file under another name is the same app: it is loaded from there once the old name is gone")
  func movedFile() throws {
    let server = try #require(watched.files.directory.apps[1]?.tenant.backends.first?.servers.first)
    try watched.rename("a.yaml", "c.yaml")
    for _ in 0..<10 { watched.pass(100) }
    #expect(watched.leads("a.localhost", to: 1) && watched.states == ["ok": 2, "stale": 0, "refused": 0])
    #expect(watched.files.directory.apps[1]?.tenant.backends.first?.servers.first === server)
  }

  @Test("GW-83 a folder that is gone or unreadable unloads no app, is told once, and is read as soon as it is back")
  func goneFolder() throws {
    for isUnreadable in [false, true] {
      try watched.rename(".", "../elsewhere")
      if isUnreadable { try watched.link(".", to: ".") }
      for _ in 0..<20 { watched.pass(100) }
      watched.readAll()
      #expect(watched.apps == [1, 2] && watched.codes == ["unreadable_file"])
      #expect(watched.log.components(separatedBy: "the folder can't be read").count == (isUnreadable ? 3 : 2))
      if isUnreadable { try watched.remove(".") }
      try watched.rename("../elsewhere", ".")
      try watched.write("a.yaml", yaml(1, isUnreadable ? "v.localhost" : "u.localhost"))
      for _ in 0..<6 { watched.pass(100) }
      #expect(watched.apps == [1, 2] && watched.codes == [])
      #expect(watched.leads(isUnreadable ? "v.localhost" : "u.localhost", to: 1))
    }
  }

  @Test("a folder that is made anew is read like the one before, and what is not in it goes")
  func newFolder() throws {
    try watched.remove(".")
    watched.pass(100)
    try watched.write("b.yaml", yaml(2, "n.localhost"))
    for _ in 0..<12 { watched.pass(100) }
    #expect(watched.leads("n.localhost", to: 2) && watched.apps == [2])
    try watched.write("b.yaml", yaml(2, "m.localhost"))
    watched.settle()
    #expect(watched.leads("m.localhost", to: 2), "it is watched")
  }

  @Test("a sub-folder that can't be read unloads none of its apps, and the others are read as ever")
  func unreadableSubfolder() throws {
    try watched.rename("team", "../elsewhere")
    try watched.link("team", to: "team")
    try watched.write("c.yaml", yaml(3, "c.localhost"))
    try watched.remove("a.yaml")
    for _ in 0..<12 { watched.pass(100) }
    #expect(watched.apps == [2, 3] && watched.codes == ["unreadable_file"])
    try watched.remove("team")
    for _ in 0..<12 { watched.pass(100) }
    #expect(watched.apps == [3], "now it is known that the folder is gone")
  }

  @Test("sub-folders that come, move and go are followed, whatever is in them by then")
  func subfolders() throws {
    try watched.write("../made/deep/c.yaml", yaml(3, "c.localhost"))
    try watched.rename("../made", "made")
    watched.settle()
    #expect(watched.apps == [1, 2, 3])
    try watched.write("made/deep/c.yaml", yaml(3, "d.localhost"))
    watched.settle()
    #expect(watched.leads("d.localhost", to: 3))
    try watched.rename("made/deep", "other")
    for _ in 0..<12 { watched.pass(100) }
    #expect(watched.leads("d.localhost", to: 3))
    try watched.write("other/c.yaml", yaml(3, "e.localhost"))
    watched.settle()
    #expect(watched.leads("e.localhost", to: 3))
    try watched.remove("other")
    for _ in 0..<12 { watched.pass(100) }
    #expect(watched.apps == [1, 2])
  }

  @Test("GW-78 a switch of `..data` is seen, for files and for folders that lead through it, and so is the next one")
  func dataLink() throws {
    for version in 1...3 {
      try watched.write("..v\(version)/c.yaml", yaml(3, "c\(version).localhost"))
      try watched.write("..v\(version)/sub/d.yaml", yaml(4, "d\(version).localhost"))
    }
    try watched.link("..data", to: "..v1")
    try watched.link("c.yaml", to: "..data/c.yaml")
    try watched.link("sub", to: "..data/sub")
    watched.settle()
    #expect(watched.leads("c1.localhost", to: 3) && watched.leads("d1.localhost", to: 4))
    for version in 2...3 {
      try watched.link("..data_tmp", to: "..v\(version)")
      try watched.rename("..data_tmp", "..data")
      watched.settle()
      #expect(watched.leads("c\(version).localhost", to: 3) && watched.leads("d\(version).localhost", to: 4))
    }
    #expect(watched.apps == [1, 2, 3, 4])
  }

  @Test("a file that a link leads to somewhere else is followed there, through every link on the way")
  func linksElsewhere() throws {
    try watched.write("../conf/v1/c.yaml", yaml(3, "one.localhost"))
    try watched.write("../conf/v2/c.yaml", yaml(3, "two.localhost"))
    try watched.link("../conf/current", to: "v1")
    try watched.link("c.yaml", to: "../conf/current/c.yaml")
    watched.settle()
    #expect(watched.leads("one.localhost", to: 3))
    try watched.write("../conf/v1/c.yaml", yaml(3, "changed.localhost"))
    watched.settle()
    #expect(watched.leads("changed.localhost", to: 3))
    try watched.link("../conf/next", to: "v2")
    try watched.rename("../conf/next", "../conf/current")
    watched.settle()
    #expect(watched.leads("two.localhost", to: 3))
  }

  @Test("GW-82 what was broken at the start is watched like the rest")
  func brokenAtStart() throws {
    let broken = try WatchedFolder(["a.yaml": "appId: [", "b.yaml": yaml(2, "b.localhost")])
    #expect(broken.apps == [2] && broken.states == ["ok": 1, "stale": 0, "refused": 1])
    try broken.write("a.yaml", yaml(1, "a.localhost"))
    broken.settle()
    #expect(broken.apps == [1, 2])
  }

  @Test("a file that can't be read keeps its last good version, is told once, and is read when it can be")
  func unreadableFile() throws {
    try watched.remove("a.yaml")
    try watched.link("a.yaml", to: "a.yaml")
    for _ in 0..<25 { watched.pass(100) }
    #expect(watched.apps == [1, 2] && watched.codes == ["unreadable_file"])
    #expect(watched.log.components(separatedBy: "the file can't be read").count == 2)
    try watched.remove("a.yaml")
    try watched.write("a.yaml", yaml(1, "z.localhost"))
    watched.settle()
    #expect(watched.leads("z.localhost", to: 1) && watched.codes == [])
  }

  @Test("a folder that comes after the start is read")
  func late() throws {
    let late = try WatchedFolder([:])
    #expect(late.codes == ["unreadable_file"])
    try late.write("a.yaml", yaml(1, "a.localhost"))
    for _ in 0..<6 { late.pass(100) }
    #expect(late.apps == [1])
  }

  @Test("without events of the kernel the round over all stamps finds changes, new files and missing ones")
  func withoutEvents() throws {
    let blind = try WatchedFolder(
      ["a.yaml": yaml(1, "a.localhost"), "team/b.yaml": yaml(2, "b.localhost")], events: nil)
    try blind.write("a.yaml", yaml(1, "x.localhost"))
    try blind.write("team/c.yaml", yaml(3, "c.localhost"))
    try blind.remove("team/b.yaml")
    for _ in 0..<25 { blind.pass(100) }
    #expect(blind.leads("x.localhost", to: 1) && blind.apps == [1, 3])
  }

  @Test("what is wrong is told once for each change, with its place, and the state with since when")
  func toldOnce() throws {
    let text = yaml(1, "a.localhost").replacing("auth:", with: "oath:") + "nope: 1\n"
    try watched.write("a.yaml", text)
    watched.settle()
    try watched.write("c.yaml", yaml(3, "c.localhost"))
    watched.settle()
    watched.readAll()
    for _ in 0..<20 { watched.pass(100) }
    #expect(watched.log.components(separatedBy: "has no key `nope`").count == 2)
    #expect(watched.log.components(separatedBy: "a tenant file is not used as it is").count == 2)
    let entry = try #require(watched.files.book.withLock { $0 }.entries[watched.path("a.yaml")])
    #expect(entry.state == .stale && entry.running == 1 && entry.since == watched.clock.now)
    #expect(entry.problems.contains { $0.code == .unknownKey && $0.line > 1 })
    try watched.write("a.yaml", yaml(1, "a.localhost"))
    watched.settle()
    #expect(watched.log.contains("a tenant file is good again"))
  }

  @Test("a bundle-ID conflict is told at both files and ends when one of them drops it")
  func conflict() throws {
    try watched.write("a.yaml", yaml(1, "a.localhost", bundleIDs: ["com.example.both"]))
    watched.settle()
    try watched.write("team/b.yaml", yaml(2, "b.localhost", bundleIDs: ["com.example.both"]))
    watched.settle()
    #expect(watched.codes == ["bundle_id_conflict", "bundle_id_conflict"])
    func conflicted(_ app: Int64) -> [String] {
      let directory = watched.files.directory
      return directory.apps[app].map { directory.description(of: $0).conflictedBundleIDs } ?? []
    }
    #expect(conflicted(1) == ["com.example.both"] && conflicted(2) == ["com.example.both"])
    try watched.write("team/b.yaml", yaml(2, "b.localhost"))
    watched.settle()
    #expect(conflicted(1) == [] && watched.codes == [])
  }

  @Test("the same bytes are not taken for a change, whatever the stamp says")
  func sameBytes() throws {
    try watched.write("a.yaml", yaml(1, "a.localhost"))
    watched.settle()
    watched.readAll()
    #expect(watched.updates.isEmpty)
  }
}
