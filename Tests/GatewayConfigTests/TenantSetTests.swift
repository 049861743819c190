import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct TenantSetTests {
  private func file(
    _ path: String, app: Int64, domains: String? = nil, ios: String? = nil, extra: String = "x-a: b",
    environment: [String: String] = [:]
  ) -> TenantFile {
    read(
      tenant("appId: \(app)", "domains: [\(domains ?? "app\(app).example")]", "ios: { \(ios ?? "") }", extra),
      path: path, environment: environment)
  }

  private func assemble(_ files: [TenantFile], history: ClaimHistory = ClaimHistory()) -> TenantSet {
    TenantSet.assemble(files, reserved: gateway("log: {}").configuration.reservedHosts, history: history)
  }

  private func loaded(_ set: TenantSet) -> [String] { set.tenants.map(\.path).sorted() }

  @Test("An app ID used twice is an error that names both places; the first file keeps it")
  func duplicateApp() {
    let set = assemble([file("b.yaml", app: 1, domains: "b.example"), file("a.yaml", app: 1, domains: "a.example")])
    #expect(loaded(set) == ["a.yaml"])
    #expect(set.problems.map { "\($0.file):\($0.brief)" } == ["b.yaml:1:8 error duplicate_app"])
    #expect(set.problems.first?.message == "the app ID `1` is taken by a.yaml:1:8")
  }

  @Test(
    "A domain used twice is an error, whatever its spelling", arguments: ["APP.example", "app.example.", "ＡＰＰ.example"])
  func duplicateDomain(spelling: String) {
    let set = assemble([
      file("a.yaml", app: 1, domains: "x.example, app.example"),
      file("b.yaml", app: 2, domains: "y.example, \(spelling)"),
    ])
    #expect(loaded(set) == ["a.yaml"])
    #expect(set.problems.brief == ["3:22 error duplicate_domain"])
    #expect(set.problems.first?.message == "the domain `app.example` is taken by a.yaml:3:22")
  }

  @Test("GW-101 Unicode and punycode of one domain are one")
  func internationalDomain() {
    let set = assemble([
      file("a.yaml", app: 1, domains: "bücher.example"), file("b.yaml", app: 2, domains: "XN--BCHER-KVA.example"),
    ])
    #expect(set.problems.map(\.code) == [.duplicateDomain])
  }

  @Test("A server key used twice is an error, by its variable and by its value")
  func duplicateServerKey() {
    func keyed(_ path: String, _ app: Int64, _ variable: String, _ environment: [String: String]) -> TenantFile {
      file(path, app: app, extra: "serverKeys: [{ id: main, env: \(variable) }]", environment: environment)
    }
    let environment = ["A": "sk_same", "B": "sk_same", "C": "sk_other"]
    #expect(
      assemble([keyed("a.yaml", 1, "A", environment), keyed("b.yaml", 2, "B", environment)])
        .problems.errors.map(\.code) == [.duplicateServerKey])
    #expect(
      assemble([keyed("a.yaml", 1, "A", [:]), keyed("b.yaml", 2, "A", [:])]).problems.errors.map(\.code) == [
        .duplicateServerKey
      ])
    #expect(
      assemble([keyed("a.yaml", 1, "A", environment), keyed("b.yaml", 2, "C", environment)]).problems.errors.isEmpty)
    #expect(assemble([keyed("a.yaml", 1, "A", [:]), keyed("b.yaml", 2, "B", [:])]).problems.errors.isEmpty)
  }

  @Test(
    "GW-85 the gateway's own hosts are reserved, the admin listener's too",
    arguments: ["api.speed.so", "DASH.speed.so.", "localhost", "id.speed.so"])
  func reservedDomain(domain: String) {
    let own = gateway(
      "platform: { apiHosts: [api.speed.so], dashHosts: [dash.speed.so], publicUrl: https://id.speed.so }")
    let set = TenantSet.assemble([file("a.yaml", app: 1, domains: domain)], reserved: own.configuration.reservedHosts)
    #expect(loaded(set).isEmpty)
    #expect(set.problems.brief == ["3:11 error reserved_domain"])
  }

  @Test("A bundle ID in two apps is a conflict told at both places; both are loaded, and dropping it ends it")
  func bundleConflict() {
    var set = assemble([
      file("a.yaml", app: 1, ios: "bundleIds: [com.a.b]"), file("b.yaml", app: 2, ios: "bundleIds: [com.x.y, com.a.b]"),
    ])
    #expect(loaded(set) == ["a.yaml", "b.yaml"])
    #expect(set.bundleConflicts == ["com.a.b": [1, 2]])
    #expect(
      set.problems.map { "\($0.file):\($0.brief)" } == [
        "a.yaml:6:20 conflict bundle_id_conflict", "b.yaml:6:29 conflict bundle_id_conflict",
      ])
    #expect(set.problems.first?.message == "the bundle ID `com.a.b` is also in b.yaml:6:29")
    #expect(ProblemReport(set.problems).exitCode == 1)
    let change = set.update(file("b.yaml", app: 2, ios: "bundleIds: [com.x.y]"))
    #expect(change.bundleIDs == ["com.a.b"] && change.loaded == ["b.yaml"])
    #expect(set.bundleConflicts.isEmpty && set.problems.isEmpty)
  }

  @Test("A Services ID that another app lists, as its own or among its bundle IDs, is a conflict too")
  func servicesConflict() {
    var set = assemble([
      file("a.yaml", app: 1, ios: "servicesId: com.a.web"), file("b.yaml", app: 2, ios: "servicesId: com.a.web"),
    ])
    #expect(set.bundleConflicts == ["com.a.web": [1, 2]])
    #expect(
      set.problems.map { "\($0.file):\($0.brief)" } == [
        "a.yaml:6:20 conflict bundle_id_conflict", "b.yaml:6:20 conflict bundle_id_conflict",
      ])
    _ = set.update(file("b.yaml", app: 2, ios: "bundleIds: [com.a.web]"))
    #expect(set.bundleConflicts == ["com.a.web": [1, 2]])
    _ = set.update(file("b.yaml", app: 2, ios: "servicesId: com.b.web"))
    #expect(set.bundleConflicts.isEmpty && set.problems.isEmpty)
  }

  @Test("Removing one of the apps ends a conflict too")
  func conflictEndsWithRemoval() {
    let files = (1...3).map { file("\($0).yaml", app: $0, ios: "bundleIds: [com.a.b]") }
    var set = assemble(files)
    #expect(set.bundleConflicts == ["com.a.b": [1, 2, 3]])
    #expect(set.remove("2.yaml").unloaded == ["2.yaml"])
    #expect(set.bundleConflicts == ["com.a.b": [1, 3]])
    set.remove("1.yaml")
    #expect(set.bundleConflicts.isEmpty)
  }

  @Test("A scheme of two apps is a warning at both")
  func sharedScheme() {
    let set = assemble([
      file("a.yaml", app: 1, ios: "urlSchemes: [a.b]"), file("b.yaml", app: 2, ios: "urlSchemes: [A.B]"),
    ])
    #expect(set.problems.filter { $0.code == .sharedScheme }.map(\.file) == ["a.yaml", "b.yaml"])
    #expect(loaded(set).count == 2 && ProblemReport(set.problems).exitCode == 0)
  }

  @Test("GW-83 a bad file affects itself alone, and all of its problems are told, also those with others")
  func badFile() {
    let bad = read(tenant("appId: 1", "domains: [bad.example]", "nope: 1"), path: "a.yaml")
    let set = assemble([bad] + (1...99).map { file("t\($0).yaml", app: Int64($0)) })
    #expect(set.tenants.count == 99)
    #expect(set.state(of: "a.yaml") == .refused)
    #expect(set.problems.map { "\($0.file):\($0.code.rawValue)" } == ["a.yaml:duplicate_app", "a.yaml:unknown_key"])
  }

  @Test("The app that had a claim first keeps it, whatever the order of files")
  func history() {
    let domain = TenantClaim(kind: .domain, value: "app.example")
    let files = [file("a.yaml", app: 1, domains: "app.example"), file("b.yaml", app: 2, domains: "app.example")]
    let set = assemble(files, history: ClaimHistory(owners: [domain: 2]))
    #expect(loaded(set) == ["b.yaml"])
    #expect(set.problems(of: "a.yaml").map(\.code) == [.duplicateDomain])
    let twice = [file("a.yaml", app: 1, domains: "a.example"), file("b.yaml", app: 1, domains: "b.example")]
    #expect(loaded(assemble(twice, history: ClaimHistory(files: [1: "b.yaml"]))) == ["b.yaml"])
  }

  @Test("What an app had first is kept for it while its file is absent")
  func rememberedClaim() {
    let domain = TenantClaim(kind: .domain, value: "app.example")
    let set = assemble([file("a.yaml", app: 1, domains: "app.example")], history: ClaimHistory(owners: [domain: 7]))
    #expect(loaded(set).isEmpty)
    #expect(set.problems.first?.message == "the domain `app.example` belongs to app 7, which had it first")
  }

  @Test("A changed file that is refused leaves its last good version running")
  func staleFile() {
    var set = assemble([file("a.yaml", app: 1), file("b.yaml", app: 2)])
    let change = set.update(file("b.yaml", app: 2, domains: "app1.example"))
    #expect(change == TenantSet.Change())
    #expect(set.state(of: "b.yaml") == .stale)
    #expect(set.tenant(at: "b.yaml")?.domains.map(\.description) == ["app2.example"])
    #expect(set.problems(of: "b.yaml").map(\.code) == [.duplicateDomain])
    set.update(read("nope", path: "b.yaml"))
    #expect(set.state(of: "b.yaml") == .stale && set.problems(of: "b.yaml").map(\.code) == [.invalidValue])
    set.update(file("b.yaml", app: 2))
    #expect(set.state(of: "b.yaml") == .ok && set.problems.isEmpty)
  }

  @Test("What waited for a claim is loaded when the claim becomes free, also along a chain")
  func waiting() {
    var set = assemble([
      file("a.yaml", app: 1, domains: "x.example"), file("b.yaml", app: 2, domains: "x.example, y.example"),
      file("c.yaml", app: 3, domains: "y.example"), file("d.yaml", app: 4, domains: "x.example"),
    ])
    #expect(loaded(set) == ["a.yaml", "c.yaml"])
    #expect(set.remove("a.yaml") == TenantSet.Change(loaded: ["d.yaml"], unloaded: ["a.yaml"]))
    #expect(set.remove("c.yaml").loaded.isEmpty)
    #expect(set.remove("d.yaml").loaded == ["b.yaml"])
    #expect(set.problems.isEmpty)
  }

  @Test("A file that gives a claim up and waits for another frees what it gave up only when it is loaded")
  func swap() {
    var set = assemble([file("a.yaml", app: 1, domains: "x.example"), file("b.yaml", app: 2, domains: "y.example")])
    #expect(set.update(file("a.yaml", app: 1, domains: "y.example")).loaded.isEmpty)
    let change = set.update(file("b.yaml", app: 2, domains: "z.example"))
    #expect(change.loaded == ["b.yaml", "a.yaml"])
    #expect(set.tenant(at: "a.yaml")?.domains.map(\.description) == ["y.example"] && set.problems.isEmpty)
  }

  @Test("What turns out to be another's is given up, and who waits for what came free by that is loaded")
  func learned() {
    let domain = TenantClaim(kind: .domain, value: "x.example")
    var set = assemble([
      file("a.yaml", app: 1, domains: "x.example, y.example"), file("b.yaml", app: 2, domains: "y.example"),
      file("c.yaml", app: 3, domains: "x.example"),
    ])
    let change = set.learn(domain, app: 3, file: nil)
    #expect(change.unloaded == ["a.yaml"] && change.loaded == ["b.yaml", "c.yaml"])
    #expect(set.state(of: "a.yaml") == .refused)
    #expect(set.learn(domain, app: 3, file: nil) == TenantSet.Change(), "it has it")
  }

  @Test("What an app elsewhere had first is waited for until it is nobody's")
  func forgotten() {
    let domain = TenantClaim(kind: .domain, value: "x.example")
    var set = assemble([file("a.yaml", app: 1, domains: "x.example")], history: ClaimHistory(owners: [domain: 9]))
    #expect(set.awaited == [domain: 9] && set.state(of: "a.yaml") == .refused)
    #expect(set.forget(domain).loaded == ["a.yaml"])
    #expect(set.awaited.isEmpty && set.forget(domain) == TenantSet.Change())
  }

  @Test("Of two files with one app ID the one that is learned to be first is loaded")
  func learnedFile() {
    var set = assemble([file("a.yaml", app: 1, domains: "a.example"), file("b.yaml", app: 1, domains: "b.example")])
    let change = set.learn(TenantClaim(kind: .app, value: "1"), app: 1, file: "b.yaml")
    #expect(change.loaded == ["b.yaml"] && loaded(set) == ["b.yaml"])
  }

  @Test("What is taken and left is told once, but not what was known")
  func movements() {
    let known = TenantClaim(kind: .domain, value: "app1.example")
    var set = TenantSet(reserved: [], history: ClaimHistory(owners: [known: 1]), notesMovements: true)
    func told() -> [String] {
      set.takeMovements().map { "\($0.kind) \($0.claim.kind) \($0.claim.value) \($0.app)" }.sorted()
    }
    set.update(file("a.yaml", app: 1, ios: "bundleIds: [com.a.b]"))
    #expect(told() == ["taken app 1 1", "taken bundleID com.a.b 1"])
    set.update(file("b.yaml", app: 2, ios: "bundleIds: [com.a.b]"))
    #expect(told() == ["taken app 2 2", "taken domain app2.example 2"], "the first has the bundle ID")
    set.update(file("a.yaml", app: 1, domains: "new.example"))
    #expect(
      told() == [
        "left bundleID com.a.b 1", "left domain app1.example 1", "taken bundleID com.a.b 2",
        "taken domain new.example 1",
      ])
    set.remove("a.yaml")
    #expect(told() == ["left app 1 1", "left domain new.example 1"])
  }

  @Test("GW-87 one change costs the same whether there are few tenants or many")
  func costOfAChange() {
    func cost(_ count: Int) -> UInt64 {
      var set = assemble((0..<count).map { file("\($0).yaml", app: Int64($0 + 1), ios: "bundleIds: [com.a.b\($0)]") })
      let changed = file("7.yaml", app: 8, domains: "new.example", ios: "bundleIds: [com.a.b3]")
      let original = file("7.yaml", app: 8, ios: "bundleIds: [com.a.b7]")
      return (0..<20).map { _ in
        let start = threadNanoseconds
        set.update(changed)
        set.update(original)
        return threadNanoseconds - start
      }.min() ?? 0
    }
    #expect(cost(1000) < 20 * cost(10))
  }
}
