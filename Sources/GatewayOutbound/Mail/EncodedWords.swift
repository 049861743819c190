import GatewayBase

/// Texts of a header's field in other letters than ASCII (RFC 2047).
enum EncodedWords {
  private static let lineLength = 76
  /// `=?utf-8?B?` and `?=`.
  private static let around = 12

  /// The text as it is where it is short and plain, else as encoded words, a line for each.
  ///
  /// - Parameter column: what stands before it on the line.
  static func text(_ text: String, after column: Int) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain, text.utf8.count + column <= lineLength, !text.contains("=?"), !text.hasPrefix(" "), !text.hasSuffix(" ")
    {
      return text
    }
    var words: [[UInt8]] = [[]]
    // Lines that follow begin with a blank.
    var room = (lineLength - column - around) / 4 * 3
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if words[words.count - 1].count + bytes.count > room {
        words.append([])
        room = (lineLength - 1 - around) / 4 * 3
      }
      words[words.count - 1] += bytes
    }
    return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
  }
}
