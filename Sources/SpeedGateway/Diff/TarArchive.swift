/// The regular files of an archive as `git archive` writes it (POSIX pax, tar(5)).
enum TarArchive {
  private static let block = 512

  /// The files' contents by their names; nil where the bytes are no such archive.
  static func files(_ bytes: [UInt8]) -> [String: [UInt8]]? {
    var files: [String: [UInt8]] = [:]
    var longName: String?
    var offset = 0
    while offset + block <= bytes.count {
      let header = Array(bytes[offset..<offset + block])
      // Two empty blocks end an archive.
      if header.allSatisfy({ $0 == 0 }) { return files }
      guard let size = number(header[124..<136]), size <= bytes.count - offset - block else { return nil }
      let content = bytes[(offset + block)..<(offset + block + size)]
      switch header[156] {
      case UInt8(ascii: "x"): longName = path(inExtension: content)
      case UInt8(ascii: "0"), 0:
        files[longName ?? name(header)] = Array(content)
        longName = nil
      case UInt8(ascii: "g"): break
      default: longName = nil
      }
      offset += block + (size + block - 1) / block * block
    }
    return files
  }

  private static func name(_ header: [UInt8]) -> String {
    let (prefix, name) = (text(header[345..<500]), text(header[0..<100]))
    return prefix.isEmpty ? name : "\(prefix)/\(name)"
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Octal digits, blanks around them.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.filter { $0 != 0 && $0 != 0x20 }
    return digits.count > 15 ? nil : Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }

  /// The record `LENGTH path=NAME` of an extended header, which stands for names that do not fit.
  private static func path(inExtension content: ArraySlice<UInt8>) -> String? {
    for record in content.split(separator: 0x0A) {
      let text = String(decoding: record, as: UTF8.self)
      guard let blank = text.firstIndex(of: " ") else { continue }
      let pair = text[text.index(after: blank)...]
      if pair.hasPrefix("path=") { return String(pair.dropFirst(5)) }
    }
    return nil
  }
}
