import Foundation
import Testing

@Suite("House rules: codes of refusals") struct RefusalCodeTests {
  @Test(
    "every code that the core and the plugins of this repository refuse with is counted under its own name",
    arguments: [
      ("Sources/Gateway", #"Refusal\(\s*\d+,\s*"([^"]+)""#, 15), ("plugins/", #"status: \d+,\s*code: "([^"]+)""#, 8),
    ])
  func counted(folder: String, refusal: String, least: Int) throws {
    let list = try #require(SourceTree.text("Sources/GatewayProxy/Observation/RefusalCode.swift"))
    let refusal = try Regex(refusal)
    var codes: Set<Substring> = []
    for file in SourceTree.product where file.path.hasPrefix(folder) && !file.path.contains("GatewaySandbox") {
      for match in file.text.matches(of: refusal) { if let code = match[1].substring { codes.insert(code) } }
    }
    #expect(codes.count > least)
    for code in codes { #expect(list.contains("\"\(code)\""), "\(code)") }
  }

  @Test("every code that is counted has its entry in the reference")
  func told() throws {
    let list = try #require(SourceTree.text("Sources/GatewayProxy/Observation/RefusalCode.swift"))
    let reference = try #require(SourceTree.text("docs/CONFIGURATION.md"))
    let texts = try #require(list.range(of: "texts = [").map { list[$0.upperBound...].prefix { $0 != "]" } })
    let codes = texts.matches(of: /"([A-Za-z][^"]*)"/).map(\.1).filter { $0 != "other" }
    #expect(codes.count > 20)
    for code in codes { #expect(reference.firstMatch(of: try Regex("\n### [0-9, ]+ `\(code)`\n")) != nil, "\(code)") }
  }
}
