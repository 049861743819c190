// What the checks say about bytes, written once more and as plainly as can be: not with the code that is checked.

let crlf = Array("\r\n".utf8)

extension Collection<UInt8> {
  var lowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

  var isToken: Bool {
    !isEmpty
      && allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
      }
  }

  var isFieldValue: Bool { allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) } }

  var isDigits: Bool { !isEmpty && allSatisfy { (0x30...0x39).contains($0) } }

  var text: String { String(decoding: self, as: UTF8.self) }
}

extension ArraySlice<UInt8> {
  var trimmed: ArraySlice<UInt8> {
    var rest = self
    while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return rest
  }

  /// Where `part` begins first.
  func first(_ part: [UInt8]) -> Int? {
    guard count >= part.count else { return nil }
    return (startIndex...(endIndex - part.count)).first { self[$0...].starts(with: part) }
  }
}

extension [UInt8] {
  init(_ span: Span<UInt8>) {
    self = []
    reserveCapacity(span.count)
    for index in span.indices { append(span[index]) }
  }

  /// The lines of a head, without the empty one that must end it; nil where there is none.
  var headLines: [ArraySlice<UInt8>]? {
    var lines: [ArraySlice<UInt8>] = []
    var rest = self[...]
    while let end = rest.first(crlf) {
      let line = rest[..<end]
      rest = rest[(end + 2)...]
      if line.isEmpty { return rest.isEmpty ? lines : nil }
      lines.append(line)
    }
    return nil
  }
}

/// The members of a list, blanks around them taken off and empty ones left out.
func members(_ values: [[UInt8]]) -> [[UInt8]] {
  values.flatMap { $0.split(separator: UInt8(ascii: ",")).map { Array($0.trimmed) }.filter { !$0.isEmpty } }
}

/// Ends of the pieces into which `count` bytes are cut, `step` bytes each.
func cuts(_ count: Int, every step: Int) -> [Int] {
  Array(stride(from: step, to: count, by: step)) + [count]
}
