import Foundation
import Testing

/// The collected faults of such systems lie beside the project; each row that the product's scope touches must be
/// a test whose name begins with the row's id.
@Suite("House rules: faults") struct FaultCoverageTests {
  private static let folder =
    ProcessInfo.processInfo.environment["SPEED_FAULTS"] ?? "\(SourceTree.root)/../shared/faults"

  private static let isThere = FileManager.default.fileExists(atPath: "\(folder)/gateway.md")

  /// The sections that the product covers so far.
  private let sections = [
    "gateway.md": [
      "Framing", "Identity", "Paths", "CORS", "Upstream", "Config", "YAML", "Redirect", "Hosts", "Tokens", "Logs",
      "Operation",
    ],
    "identity.md": [
      "Nonce", "Audience", "Keys and signatures", "Claim shapes", "Name, email", "Web callback", "Concurrency",
      "Deletion", "Keys, secrets", "Server-to-server",
      "Team transfer",
    ],
  ]

  /// Rows of those sections whose subject the product does not have yet.
  private let absent: [String: String] = [:]

  private func rows(_ file: String, _ titles: [String]) throws -> [String] {
    let text = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
    var isCovered = false
    var ids: [String] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { isCovered = titles.contains { line.dropFirst(3).hasPrefix($0) } }
      guard isCovered, line.hasPrefix("| "), let id = line.dropFirst(2).split(separator: " ").first else { continue }
      if id.firstMatch(of: try Regex(#"^(?:GW-|B)\d+$"#)) != nil { ids.append(String(id)) }
    }
    return ids
  }

  @Test(
    "every row of the covered sections is a test that begins with its id, or with several",
    .enabled(if: isThere, "the collected faults are not beside the project"))
  func covered() throws {
    let test = try Regex(#"@Test\(\s*"((?:(?:GW-|B)\d+\s+)+)"#)
    var tested: Set<String> = []
    for file in SourceTree.all {
      for match in file.text.matches(of: test) {
        for id in match[1].substring?.split(separator: " ") ?? [] { tested.insert(String(id)) }
      }
    }
    for (file, titles) in sections {
      let rows = try rows(file, titles)
      #expect(rows.count > 10, "the tables of \(file) are read")
      for id in rows where absent[id] == nil { #expect(tested.contains(id), "\(id)") }
    }
    for id in absent.keys { #expect(!tested.contains(id), "\(id) is tested now: take it off the list") }
  }
}
