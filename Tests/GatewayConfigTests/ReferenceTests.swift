import Foundation
import GatewayBase
import Testing

@testable import GatewayConfig

@Suite struct ReferenceTests {
  /// The package's folder.
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("docs/CONFIGURATION.md is what the tables say; speed-gateway schema reference makes it anew")
  func stale() throws {
    let written = try String(contentsOf: Self.root.appending(path: "docs/CONFIGURATION.md"), encoding: .utf8)
    #expect(written == ConfigurationReference.text)
  }

  @Test("The example of each code has the problem of that code", arguments: ProblemCode.allCases)
  func examples(_ code: ProblemCode) {
    let guide = code.guide
    #expect(guide.meaning.count > 20 && guide.mend.count > 10)
    switch guide.example {
    case .words(let text): #expect(!text.isEmpty)
    case .file(let text): #expect(read(text).problems.contains { $0.code == code })
    case .gateway(let text): #expect(gateway(text).problems.contains { $0.code == code })
    case .tenant(let lines):
      let set = TenantSet.assemble([whole(lines, "a.yaml")], reserved: [HostName(literal: "localhost")])
      // What only the plugins that are there can tell.
      let isOfPlugins = code == .unknownProvider
      #expect(isOfPlugins || set.problems.contains { $0.code == code })
      #expect(set.problems.allSatisfy { $0.code == code || $0.severity == .warning }, "\(set.problems.brief)")
    case .tenants(let one, let other):
      let set = TenantSet.assemble([whole(one, "a.yaml"), whole(other, "b.yaml")], reserved: [])
      #expect(set.problems.contains { $0.code == code })
    }
  }

  private func whole(_ lines: [String], _ path: String) -> TenantFile {
    var text = tenant()
    for line in lines {
      let key = line.prefix { $0 != ":" }
      text = text.split(separator: "\n").filter { !$0.hasPrefix("\(key):") }.joined(separator: "\n") + "\n\(line)\n"
    }
    return read(text, path: path)
  }

  @Test("Every code of an answer is told once, with example and mend")
  func refusals() {
    let codes = RefusalGuide.all.map(\.code)
    #expect(Set(codes).count == codes.count)
    for guide in RefusalGuide.all {
      #expect(!guide.meaning.isEmpty && !guide.example.isEmpty && !guide.mend.isEmpty, "\(guide.code)")
    }
  }

  @Test("A new tenant's file has no problem, and none when what is commented is taken in")
  func start() {
    let start = TenantStart(name: "shop", appID: 7)
    #expect(read(start.text).problems.isEmpty)
    let wanted = start.text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      let body = line.drop { $0 == " " }
      // A comment that holds keys, not words.
      return body.wholeMatch(of: /# (- \{ path|\w+:|  \w+:).*/) == nil || body.contains("$schema")
        ? String(line) : String(line.replacing("# ", with: "", maxReplacements: 1))
    }.joined(separator: "\n")
    #expect(wanted != start.text)
    let file = read(wanted)
    #expect(file.problems.isEmpty, "\(file.problems)")
    #expect(file.configuration?.ios.bundleIDs == ["com.example.shop"] && file.configuration?.routes.count == 3)
    #expect(file.configuration?.relay?.issuers.map(\.audience) == ["shop"])
  }

  @Test("A new app gets the lowest number that no file has, refused ones included")
  func freeNumber() {
    let files = [read(tenant("appId: 1")), read(tenant("appId: 2", "nope: 1")), read(tenant("appId: 4")), read("")]
    #expect(TenantStart.freeAppID(besides: files) == 3)
    #expect(TenantStart.freeAppID(besides: []) == 1)
  }

  @Test(
    "The name of a new tenant is good for a file and a domain",
    arguments: ["Shop", "", "-a", "a-", "a.b", "a/b", "ü", "a b"])
  func badName(_ name: String) {
    #expect(!TenantStart.isName(name))
    #expect(
      TenantStart.isName("a-1") && TenantStart.isName("7") && !TenantStart.isName(String(repeating: "a", count: 64)))
  }
}
