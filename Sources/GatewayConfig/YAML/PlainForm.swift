import GatewayBase

/// Reads the form in which nearly all files are written straight into the tree: mappings and lists in lines, or in brackets
/// on one line; texts of ASCII, bare or in quotes, on one line; comments.
///
/// Whatever is not surely of that form is left to libyaml, so that nothing is reported here and every fault has one
/// wording. Of what is, libyaml makes the same tree, with the same places; it takes ten times as long for it, which tells
/// in a start with ten thousand files.
struct PlainForm {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// Where the line begins.
  private var lineStart = 0
  /// The column, from 0, at which the present line's content begins; -1 behind the last one.
  private var indent = 0
  private var nodes = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The file's mapping; nil where it is not of this form, whether it is good or not.
  ///
  /// - Parameter bytes: in which `SourceText.check` finds no fault.
  static func read(_ bytes: [UInt8]) -> Node? {
    var reader = PlainForm(bytes)
    reader.goToContent()
    guard reader.indent == 0, let root = reader.blockMapping(at: 0), reader.indent < 0 else { return nil }
    return root
  }

  // MARK: Lines

  /// The byte at `index`; a line's end behind the last one.
  private var next: UInt8 { index < bytes.count ? bytes[index] : newline }

  private var afterNext: UInt8 { index + 1 < bytes.count ? bytes[index + 1] : newline }

  private var place: Place { Place(line: line, column: index - lineStart + 1) }

  /// Whether an item of a list begins here.
  private var isDash: Bool { next == UInt8(ascii: "-") && afterNext == space }

  private mutating func skipSpaces() { while next == space { index += 1 } }

  /// Goes from a line's begin to the next content that is no comment.
  private mutating func goToContent() {
    while index < bytes.count {
      lineStart = index
      skipSpaces()
      if next != newline && next != hash {
        indent = index - lineStart
        return
      }
      skipLine()
    }
    indent = -1
  }

  private mutating func skipLine() {
    while next != newline { index += 1 }
    index += 1
    line += 1
  }

  /// Whether nothing but a comment is left of the line.
  private var isAtEnd: Bool { next == newline || next == hash && index > lineStart && bytes[index - 1] == space }

  /// Goes to the next content where nothing but a comment is left of this line.
  private mutating func endLine() -> Bool {
    skipSpaces()
    guard isAtEnd else { return false }
    skipLine()
    goToContent()
    return true
  }

  // MARK: Blocks

  private mutating func enter() -> Bool {
    depth += 1
    return depth <= Limits.configurationDepth && count()
  }

  private mutating func count() -> Bool {
    nodes += 1
    return nodes <= Limits.configurationNodes
  }

  /// A mapping whose keys stand at this column; the first one is here.
  private mutating func blockMapping(at column: Int) -> Node? {
    let start = place
    guard enter() else { return nil }
    var entries: [Node.Entry] = []
    entries.reserveCapacity(8)
    repeat {
      guard let (key, keyPlace) = key(among: entries), let value = blockValue(of: column) else { return nil }
      entries.append(Node.Entry(key: key, keyPlace: keyPlace, value: value))
    } while indent == column
    guard indent < column else { return nil }
    depth -= 1
    return Node(content: .mapping(entries), place: start)
  }

  /// What stands behind the colon of a key at this column, or below it.
  private mutating func blockValue(of column: Int) -> Node? {
    skipSpaces()
    if isAtEnd {
      guard endLine() else { return nil }
      if indent > column { return isDash ? blockSequence(at: indent) : blockMapping(at: indent) }
      return indent == column && isDash ? blockSequence(at: indent) : nil
    }
    // What is further in on the next line would belong to this one.
    guard let value = inlineValue(), endLine(), indent <= column else { return nil }
    return value
  }

  /// A list whose dashes stand at this column; the first one is here.
  private mutating func blockSequence(at column: Int) -> Node? {
    let start = place
    guard enter() else { return nil }
    var items: [Node] = []
    repeat {
      index += 1
      skipSpaces()
      guard let item = isKey ? blockMapping(at: index - lineStart) : itemInLine(of: column) else { return nil }
      items.append(item)
    } while indent == column && isDash
    guard indent <= column else { return nil }
    depth -= 1
    return Node(content: .sequence(items), place: start)
  }

  private mutating func itemInLine(of column: Int) -> Node? {
    guard let item = inlineValue(), endLine(), indent <= column else { return nil }
    return item
  }

  // MARK: Keys

  /// The end of the word that begins here.
  private var endOfWord: Int {
    var end = index
    guard isAlphanumeric(next) else { return end }
    while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
    return end
  }

  private var isKey: Bool {
    let end = endOfWord
    guard end > index, end < bytes.count, bytes[end] == colon else { return false }
    return end + 1 == bytes.count || isBlank(bytes[end + 1])
  }

  /// A key with its colon, where it is one that is not among `entries`.
  private mutating func key(among entries: [Node.Entry]) -> (String, Place)? {
    // libyaml and its tree know what to do with more.
    guard isKey, entries.count < 24, count() else { return nil }
    let end = endOfWord
    guard end - index <= 64 else { return nil }
    let (key, keyPlace) = (text(to: end), place)
    guard !entries.contains(where: { $0.key == key }) else { return nil }
    index = end + 1
    return (key, keyPlace)
  }

  // MARK: Values in a line

  private mutating func inlineValue() -> Node? {
    switch next {
    case UInt8(ascii: "["): return flowSequence()
    case UInt8(ascii: "{"): return flowMapping()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return quoted()
    default: return depthOfFlow == 0 ? plain() : plainInFlow()
    }
  }

  /// Brackets that are open.
  private var depthOfFlow = 0

  private mutating func flowSequence() -> Node? {
    let start = place
    guard enter() else { return nil }
    depthOfFlow += 1
    index += 1
    var items: [Node] = []
    skipSpaces()
    while next != UInt8(ascii: "]") {
      guard let item = inlineValue(), isSeparated(before: UInt8(ascii: "]")) else { return nil }
      items.append(item)
    }
    closeFlow()
    return Node(content: .sequence(items), place: start)
  }

  private mutating func flowMapping() -> Node? {
    let start = place
    guard enter() else { return nil }
    depthOfFlow += 1
    index += 1
    var entries: [Node.Entry] = []
    skipSpaces()
    while next != UInt8(ascii: "}") {
      guard let (key, keyPlace) = key(among: entries) else { return nil }
      skipSpaces()
      guard let value = inlineValue(), isSeparated(before: UInt8(ascii: "}")) else { return nil }
      entries.append(Node.Entry(key: key, keyPlace: keyPlace, value: value))
    }
    closeFlow()
    return Node(content: .mapping(entries), place: start)
  }

  private mutating func closeFlow() {
    index += 1
    depthOfFlow -= 1
    depth -= 1
  }

  /// Goes over a comma to the next value, or to the bracket that ends them. False for anything else, a comma before the
  /// bracket among it.
  private mutating func isSeparated(before end: UInt8) -> Bool {
    skipSpaces()
    if next == end { return true }
    guard next == UInt8(ascii: ",") else { return false }
    index += 1
    skipSpaces()
    return next != end
  }

  /// A text in quotes that holds neither those nor an escape.
  private mutating func quoted() -> Node? {
    let (quote, start) = (next, place)
    index += 1
    var end = index
    while end < bytes.count, bytes[end] != quote {
      guard isPrintable(bytes[end]), bytes[end] != UInt8(ascii: "\\") else { return nil }
      end += 1
    }
    guard end < bytes.count, count() else { return nil }
    let text = text(to: end)
    index = end + 1
    return next == quote ? nil : Node(content: .scalar(text, isPlain: false), place: start)
  }

  /// A bare text that goes to the end of the line, or to a comment.
  private mutating func plain() -> Node? {
    guard isPlainStart else { return nil }
    var end = index
    while end < bytes.count, bytes[end] != newline {
      guard isPrintable(bytes[end]) else { return nil }
      if bytes[end] == colon, end + 1 == bytes.count || isBlank(bytes[end + 1]) { return nil }
      if bytes[end] == hash, bytes[end - 1] == space { break }
      end += 1
    }
    return bare(to: end)
  }

  /// A bare text that goes to the next comma or bracket.
  private mutating func plainInFlow() -> Node? {
    guard isPlainStart else { return nil }
    var end = index
    while end < bytes.count, !endsPlain(bytes[end]) {
      let isInnerColon =
        bytes[end] == colon && end + 1 < bytes.count
        && (isAlphanumeric(bytes[end + 1]) || bytes[end + 1] == UInt8(ascii: "/"))
      guard isInner(bytes[end]) || isInnerColon else { return nil }
      end += 1
    }
    return bare(to: end)
  }

  private var isPlainStart: Bool {
    switch next {
    case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: isAlphanumeric(next)
    }
  }

  private mutating func bare(to limit: Int) -> Node? {
    guard count() else { return nil }
    var end = limit
    while bytes[end - 1] == space { end -= 1 }
    let node = Node(content: .scalar(text(to: end), isPlain: true), place: place)
    index = end
    return node
  }

  private func text(to end: Int) -> String { String(decoding: bytes[index..<end], as: UTF8.self) }

  // MARK: Kinds of bytes

  private func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

  /// As `UInt8.isAlphanumeric`, which another module's code does not inline: a call for each byte tells.
  private func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == newline }

  private func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: isAlphanumeric(byte)
    }
  }

  /// Of a bare text in brackets.
  private func isInner(_ byte: UInt8) -> Bool {
    switch byte {
    case space, UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "@"),
      UInt8(ascii: "$"), UInt8(ascii: "~"):
      true
    default: isOfWord(byte)
    }
  }

  private func endsPlain(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let hash = UInt8(ascii: "#")
private let colon = UInt8(ascii: ":")
