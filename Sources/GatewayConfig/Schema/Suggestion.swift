/// The candidate that `word` was most likely meant to be, or nil where none is near: same letters but for case,
/// or few edits away.
func nearest(to word: String, among candidates: [String]) -> String? {
  guard word.utf8.count <= 40 else { return nil }
  let folded = Array(word.lowercased().utf8)
  var best: (name: String, distance: Int)?
  for name in candidates {
    let limit = max(1, min(3, name.utf8.count / 3))
    guard abs(name.utf8.count - folded.count) <= limit else { continue }
    let distance = editDistance(folded, Array(name.lowercased().utf8))
    if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
  }
  return best?.name
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  var (beforeLast, last) = ([Int](), Array(0...b.count))
  for i in 1...a.count {
    var row = [i]
    row.reserveCapacity(b.count + 1)
    for j in 1...b.count {
      let cost = a[i - 1] == b[j - 1] ? 0 : 1
      var least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { least = min(least, beforeLast[j - 2] + 1) }
      row.append(least)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
