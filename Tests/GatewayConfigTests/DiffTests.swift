import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct DiffTests {
  private func diff(_ old: [String: String], _ new: [String: String]) -> TenantDiff {
    func tree(_ files: [String: String], _ label: String) -> TenantTexts {
      TenantTexts(texts: files.mapValues { Array($0.utf8) }, label: label)
    }
    return TenantDiff.between(tree(old, "old/"), tree(new, "new/"), reserved: [], environment: [:])
  }

  private func app(_ id: Int, _ lines: String...) -> String {
    var text = tenant("appId: \(id)", "domains: [a\(id).example.com]")
    for line in lines {
      let key = line.prefix { $0 != ":" }
      text = text.split(separator: "\n").filter { !$0.hasPrefix("\(key):") }.joined(separator: "\n") + "\n\(line)\n"
    }
    return text
  }

  @Test("Files that are the same are not told; those that come, go and change are")
  func kinds() {
    let diff = diff(
      ["a.yaml": app(1), "b.yaml": app(2), "c.yaml": app(3)],
      ["a.yaml": app(1), "b.yaml": app(2, "name: Other"), "d.yaml": app(4), "_draft.yaml": "x", ".hid.yaml": "x"])
    #expect(diff.files.map(\.path) == ["new/b.yaml", "old/c.yaml", "new/d.yaml"])
    #expect(diff.files.map(\.kind) == [.changed, .removed, .added])
    #expect(diff.files.map(\.app) == [2, 3, 4])
    #expect(diff.files.map(\.state) == [.ok, nil, .ok])
    #expect(!diff.fails && diff.moves.isEmpty)
  }

  @Test("A change is told key by key, with old and new value and the place of the new one")
  func keys() {
    let old = app(
      1, "cors: { origins: [https://a.example] }",
      "routes: [{ path: /, backend: api }, { path: /v1, backend: api, units: 1 }]")
    let new = app(
      1, "routes: [{ path: /v1, backend: api, units: 2 }, { path: /, backend: api }, { path: /v2, backend: api }]",
      "methodOverride: true")
    let file = diff(["a.yaml": old], ["a.yaml": new]).files.first
    let changes = Dictionary(uniqueKeysWithValues: (file?.keys ?? []).map { ($0.key, $0) })
    #expect(Set(changes.keys) == ["cors", "routes[/v1].units", "routes[/v2]", "methodOverride"])
    #expect(changes["routes[/v1].units"]?.old == "1" && changes["routes[/v1].units"]?.new == "2")
    #expect(changes["routes[/v2]"]?.kind == .added && changes["cors"]?.kind == .removed)
    #expect(changes["cors"]?.place.hasPrefix("old/a.yaml:") == true)
    #expect(changes["methodOverride"]?.place == "new/a.yaml:6:17")
    #expect(file?.hasEffect == true)
  }

  @Test("Layout, comments, order, notes and a default that is written out have no effect")
  func noEffect() {
    let file = diff(["a.yaml": app(1)], ["a.yaml": "# comment\n" + app(1, "x-note: 1", "paths: canonical")]).files.first
    #expect(file?.hasEffect == false)
    #expect(file?.keys.map(\.key) == ["paths"])
  }

  @Test("A version that does not check is stale where one was loaded, refused where none was")
  func refused() {
    let diff = diff(["a.yaml": app(1)], ["a.yaml": app(1, "nope: 1"), "b.yaml": "nope"])
    #expect(diff.files.map(\.state) == [.stale, .refused])
    #expect(diff.files.map(\.hasEffect) == [false, false])
    #expect(diff.files[0].problems.map(\.file) == ["new/a.yaml"])
    #expect(diff.fails)
  }

  @Test("A domain that one app gives up and another takes moves, in whatever order the files are read")
  func moves() {
    for (first, second) in [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")] {
      let diff = diff(
        [first: app(1, "domains: [x.example, a1.example.com]"), second: app(2)],
        [first: app(1), second: app(2, "domains: [x.example]")])
      #expect(diff.moves == [TenantDiff.Move(what: "the domain `x.example`", from: 1, to: 2)])
      #expect(!diff.fails)
    }
  }

  @Test("A domain that another app has is refused with both places")
  func taken() {
    let diff = diff(["a.yaml": app(1)], ["a.yaml": app(1), "b.yaml": app(2, "domains: [a1.example.com]")])
    #expect(diff.files.map(\.state) == [.refused])
    #expect(diff.files[0].problems.map(\.code) == [.duplicateDomain])
  }

  @Test("A bundle ID that comes into a conflict is told, and one that is free again")
  func conflicts() {
    let (alone, both) = (
      ["a.yaml": app(1, "ios: { bundleIds: [com.a.b] }"), "b.yaml": app(2)],
      ["a.yaml": app(1, "ios: { bundleIds: [com.a.b] }"), "b.yaml": app(2, "ios: { bundleIds: [com.a.b] }")]
    )
    #expect(diff(alone, both).conflicts == [TenantDiff.Conflict(bundleID: "com.a.b", apps: [1, 2])])
    #expect(diff(alone, both).fails)
    #expect(diff(both, alone).conflicts == [TenantDiff.Conflict(bundleID: "com.a.b", apps: [])])
    #expect(!diff(both, alone).fails)
  }

  @Test("An address of mail is not shown")
  func addresses() {
    let file = diff(["a.yaml": app(1, "owner: a@b.example")], ["a.yaml": app(1, "owner: c@b.example")]).files.first
    #expect(file?.keys.map(\.new) == ["…"] && file?.keys.map(\.old) == ["…"])
  }

  @Test("One file stands for the one of its name, else beside the others")
  func oneFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("t/sub/a.yaml", app(1))
    let tree = try TenantTexts(folder: "\(folder.path)/t")
    let file = try folder.write("a.yaml", app(1, "name: Other"))
    #expect(try tree.replacing(with: file).texts.keys.sorted() == ["sub/a.yaml"])
    let other = try folder.write("b.yaml", app(2))
    #expect(try tree.replacing(with: other).texts.keys.sorted() == ["b.yaml", "sub/a.yaml"])
  }
}
