import Foundation
import Testing

@Suite("House rules: codes of refusals") struct RefusalCodeTests {
  @Test("every code that the core refuses with is counted under its own name")
  func counted() throws {
    let list = try #require(SourceTree.text("Sources/GatewayProxy/Observation/RefusalCode.swift"))
    let refusal = try Regex(#"Refusal\(\s*\d+,\s*"([^"]+)""#)
    var codes: Set<Substring> = []
    for file in SourceTree.product where file.path.hasPrefix("Sources/Gateway") && !file.path.contains("GatewaySandbox")
    {
      for match in file.text.matches(of: refusal) { if let code = match[1].substring { codes.insert(code) } }
    }
    #expect(codes.count > 15)
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
