import GatewayBase

extension Problem {
  /// The problem as JSON, wherever one is told to programs.
  package var json: JSONTree {
    .object(
      [
        JSONTree.Member("file", .text(file)), JSONTree.Member("line", .integer(Int64(line))),
        JSONTree.Member("column", .integer(Int64(column))),
      ] + finding)
  }

  /// What is wrong, for an object that says by itself where.
  package var finding: [JSONTree.Member] {
    [
      JSONTree.Member("severity", .text(severity.rawValue)), JSONTree.Member("code", .text(code.rawValue)),
      JSONTree.Member("message", .text(message)), JSONTree.Member("hint", .text(orNull: hint)),
    ]
  }
}
