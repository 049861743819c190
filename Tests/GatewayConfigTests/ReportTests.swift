import Foundation
import Testing

@testable import GatewayConfig

@Suite struct ReportTests {
  private let problems = [
    Problem(
      file: "b.yaml", place: Place(line: 2, column: 3), severity: .conflict, code: .bundleIDConflict,
      message: "two have it",
      hint: "drop it"),
    Problem(
      file: "a.yaml", place: Place(line: 10, column: 1), severity: .warning, code: .notYetActive, message: "not yet"),
    Problem(
      file: "a.yaml", place: Place(line: 9, column: 4), code: .unknownKey, message: "no `x`", hint: "did you mean `y`?"),
    Problem(file: "", place: Place(variable: "SPEED_X"), code: .invalidValue, message: "wrong"),
  ]

  @Test("Text has a line for each problem, sorted by file and place, and what would be right below it")
  func text() {
    #expect(
      ProblemReport(problems).rendered(.text) == """
        a.yaml:9:4: error: no `x` (unknown_key)
          did you mean `y`?
        a.yaml:10:1: warning: not yet (not_yet_active)
        b.yaml:2:3: conflict: two have it (bundle_id_conflict)
          drop it
        environment:SPEED_X: error: wrong (invalid_value)

        """)
  }

  @Test("Colours are there only when asked for")
  func colours() {
    #expect(!ProblemReport(problems).rendered(.text).contains("\u{1B}"))
    #expect(ProblemReport(problems).rendered(.text, colours: true).contains("\u{1B}[1;31merror\u{1B}[0m: no `x`"))
  }

  @Test("JSON is an array of objects, empty where there are no problems")
  func json() throws {
    let objects =
      try JSONSerialization.jsonObject(with: Data(ProblemReport(problems).rendered(.json).utf8)) as? [[String: Any]]
    #expect(objects?.count == 4)
    let first = try #require(objects?.first)
    #expect(first["file"] as? String == "a.yaml" && first["line"] as? Int == 9 && first["column"] as? Int == 4)
    #expect(first["severity"] as? String == "error" && first["code"] as? String == "unknown_key")
    #expect(first["message"] as? String == "no `x`" && first["hint"] as? String == "did you mean `y`?")
    #expect(objects?[1]["hint"] is NSNull)
    #expect(ProblemReport([]).rendered(.json) == "[]\n")
  }

  @Test("Workflow commands escape what could end or start a command")
  func github() {
    let nasty = Problem(
      file: "a,b:c.yaml", place: Place(line: 1, column: 2), code: .invalidValue, message: "100%\n::error::x", hint: nil)
    #expect(
      ProblemReport([nasty]).rendered(.github)
        == "::error file=a%2Cb%3Ac.yaml,line=1,col=2,title=invalid_value::100%25%0A::error::x\n")
    #expect(
      ProblemReport(problems).rendered(.github).hasPrefix(
        "::error file=a.yaml,line=9,col=4,title=unknown_key::no `x`%0Adid you mean `y`?\n::warning "))
  }

  @Test(
    "GW-110 no text of a file can split a line or steer a terminal",
    arguments: ["\u{1B}[2J", "a\nb", "a\u{85}b", "a\u{2028}b", "a\u{202E}b"])
  func terminal(text: String) {
    let problem = Problem(file: text, place: .start, code: .invalidValue, message: text, hint: text)
    #expect(
      ProblemReport([problem]).rendered(.text).unicodeScalars.allSatisfy {
        $0 == "\n"
          || !$0.properties.isDefaultIgnorableCodePoint
            && ![.control, .lineSeparator, .format].contains($0.properties.generalCategory)
      })
    #expect(ProblemReport([problem]).rendered(.text).count { $0 == "\n" } == 2)
  }

  @Test("The exit code is 1 with errors or conflicts and 0 with warnings alone")
  func exitCode() {
    #expect(problems.map { ProblemReport([$0]).exitCode } == [1, 0, 1, 1])
    #expect(ProblemReport([]).exitCode == 0)
    #expect(ProblemReport(problems).summary(files: 3) == "3 files: 2 errors, 1 conflict, 1 warning")
    #expect(ProblemReport([]).summary(files: 1) == "1 file: no problems")
  }
}
