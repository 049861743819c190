/// Tables as text for people.
package enum TextTable {
  /// One line a row; columns start two blanks behind the widest cell before them, and no line ends in blanks.
  ///
  /// - Parameter rows: all with the same number of cells.
  package static func aligned(_ rows: [[String]]) -> String {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined()
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
