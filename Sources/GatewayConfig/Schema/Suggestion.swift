/// The candidate that `word` was most likely meant to be, or nil where none is near: same letters but for case,
/// or few edits away.
func nearest(to word: String, among candidates: [String]) -> String? {
  guard word.utf8.count <= 40 else { return nil }
  let folded = Array(word.lowercased().utf8)
  let ranked = candidates.map { (name: $0, distance: editDistance(folded, Array($0.lowercased().utf8))) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(1, min(3, best.name.utf8.count / 3)) ? best.name : nil
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  var rows = [Array(0...b.count)]
  for i in 1...a.count {
    var row = [i]
    for j in 1...b.count {
      let cost = a[i - 1] == b[j - 1] ? 0 : 1
      var least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { least = min(least, rows[i - 2][j - 2] + 1) }
      row.append(least)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
