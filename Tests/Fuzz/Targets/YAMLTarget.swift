import GatewayBase
import GatewayConfig

/// A tenant's file or the gateway's; the first byte chooses.
func fuzzYAML(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let choice = bytes.first else { return }
  let text = Array(bytes.dropFirst())
  let read = choice & 1 == 0 ? readTenant : readGateway
  let problems = try read(text)
  try checkProblems(problems, text)
  try expect(try read(text) == problems, "the same text has the same problems")
  // Editors of other systems end lines so; it means nothing.
  guard !text.contains(UInt8(ascii: "\r")), text.count < Limits.configurationFile / 2 else { return }
  let otherEnds = text.flatMap { $0 == UInt8(ascii: "\n") ? crlf : [$0] }
  try expect(
    try read(otherEnds).map(\.code) == problems.map(\.code), "CRLF at the ends of lines changes nothing")
}

private let environment = ["SECRET_OF_SEEDS": "not printed, and long enough for whatever it is for"]

private func readTenant(_ text: [UInt8]) throws(BrokenProperty) -> [Problem] {
  let file = TenantFile.read("tenants/seed.yaml", bytes: text, environment: environment)
  let hasErrors = file.problems.contains { $0.severity == .error }
  try expect(hasErrors == (file.configuration == nil), "a file is used where it has no error")
  return file.problems
}

private func readGateway(_ text: [UInt8]) throws(BrokenProperty) -> [Problem] {
  let file = GatewayFile.read("gateway.yaml", bytes: text, environment: environment)
  try expect(file.isUsable != file.problems.contains { $0.severity == .error }, "a file is used where it has no error")
  return file.problems
}

private func checkProblems(_ problems: [Problem], _ text: [UInt8]) throws(BrokenProperty) {
  let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
  for problem in problems {
    try expect((1...lines + 1).contains(problem.line), "a problem is on a line of the file: \(problem.line)")
    try expect((1...text.count + 1).contains(problem.column), "a problem is at a column of the file")
    try expect(!(problem.message + (problem.hint ?? "")).contains("not printed"), "no secret is told")
  }
  let report = ProblemReport(problems)
  for line in report.rendered(.text).utf8.split(separator: UInt8(ascii: "\n")) {
    try expect(line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a report steers no terminal")
  }
  let json = try? JSONValue(parsing: Array(report.rendered(.json).utf8))
  try expect(json?.array?.count == problems.count, "a report is JSON")
  let commands = report.rendered(.github).utf8.split(separator: UInt8(ascii: "\n"))
  try expect(
    commands.count == problems.count && commands.allSatisfy { $0.starts(with: Array("::".utf8)) },
    "no text begins a command")
}
