import GatewayConfig
import GatewayTesting
import Testing

@testable import GatewayServer

@Suite("When a file is whole, and when it is gone") struct SettlingFilesTests {
  private let folder: TemporaryFolder
  private let stamps: [FileStamp]

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    stamps = try (0..<3).map { number in
      try folder.write("\(number)", "x")
      return FileStamp(path: folder.path("\(number)"))
    }
  }

  @Test("GW-79 a file is read when two looks, 200 ms apart, find it the same, and not while it changes")
  func whole() {
    var files = SettlingFiles()
    files.notice("a", .file(stamps[0]), now: 1_000)
    files.notice("a", .file(stamps[1]), now: 1_100)
    files.notice("a", .file(stamps[1]), now: 1_200)
    #expect(files.due(now: 1_299).isEmpty && files.nextAt == 1_300)
    #expect(files.due(now: 1_300) == ["a"])
    #expect(files.looked(at: "a", .file(stamps[2]), now: 1_300) == .wait)
    #expect(files.looked(at: "a", .file(stamps[2]), now: 1_500) == .read)
    #expect(files.isEmpty && files.nextAt == nil)
  }

  @Test("GW-81 what is missing is warned of once, and gone after the grace time; what comes back begins anew")
  func missing() {
    var files = SettlingFiles()
    files.notice("a", .missing, now: 1_000)
    #expect(files.looked(at: "a", .missing, now: 1_200) == .missing)
    #expect(files.looked(at: "a", .missing, now: 1_400) == .wait)
    #expect(files.looked(at: "a", .file(stamps[0]), now: 1_500) == .wait)
    #expect(files.looked(at: "a", .missing, now: 1_700) == .missing)
    #expect(files.looked(at: "a", .missing, now: 2_299) == .wait)
    #expect(files.looked(at: "a", .missing, now: 2_300) == .gone)
    #expect(files.isEmpty)
  }

  @Test("where nothing can be told, nothing follows")
  func unknown() {
    var files = SettlingFiles()
    files.notice("a", .missing, now: 0)
    #expect(files.looked(at: "a", .unknown, now: 5_000) == .drop)
    #expect(files.looked(at: "a", .missing, now: 6_000) == .drop && files.isEmpty)
  }
}

@Suite("The links that a path depends on") struct LinkTrailTests {
  private func steps(_ path: String, _ links: [String: String]) -> [String] {
    LinkTrail.steps(of: path) { links[$0] }.map { "\($0.folder) \($0.name)" }
  }

  @Test("a path without links depends on none, one with links on each of them and on where they lead")
  func steps() {
    #expect(steps("/t/a.yaml", [:]) == [])
    #expect(steps("/t/a.yaml", ["/t/a.yaml": "/c/b.yaml"]) == ["/t a.yaml", "/c b.yaml"])
    #expect(
      steps("/t/a.yaml", ["/t/a.yaml": "..data/a.yaml", "/t/..data": "..v1"])
        == ["/t a.yaml", "/t ..data", "/t/..v1 a.yaml"])
    #expect(steps("/t/sub/a.yaml", ["/t/sub/a.yaml": "../../c/./b.yaml"]) == ["/t/sub a.yaml", "/c b.yaml"])
    #expect(steps("t/a.yaml", ["./t/a.yaml": "b.yaml"]) == ["./t a.yaml", "./t b.yaml"])
  }

  @Test("a loop of links ends")
  func loop() { #expect(steps("/t/a", ["/t/a": "b", "/t/b": "a"]).count == 40) }
}
