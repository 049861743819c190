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
}
