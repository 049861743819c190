import GatewayBase

/// What `Connection` says (RFC 9110 section 7.6.1).
struct ConnectionOptions {
  private(set) var close = false
  private(set) var keepAlive = false
  private(set) var upgrade = false
  private(set) var hasNominations = false

  /// Reads all `Connection` fields and marks the fields that they name; nil where one is malformed or the options
  /// are more than `Limits.connectionOptions`.
  ///
  /// Only received fields can be named away. What the gateway adds is written after, from its own values, so a
  /// client can't take an identity header from a backend.
  static func read(_ head: Span<UInt8>, _ fields: inout FieldTable) -> ConnectionOptions? {
    var options = ConnectionOptions()
    guard let first = fields.first(.connection) else { return options }
    var count = 0
    for index in first..<fields.count where fields[index].name == .connection {
      var members = ListMembers(fields[index].valueRange)
      while let member = members.next(in: head) {
        count += 1
        guard count <= Limits.connectionOptions, member.isToken(in: head) else { return nil }
        options.add(member, head, &fields)
      }
    }
    return options
  }

  private mutating func add(_ member: Range<Int>, _ head: Span<UInt8>, _ fields: inout FieldTable) {
    switch PackedText(lowercasing: head, member) {
    case Self.closeText: close = true
    case Self.keepAliveText: keepAlive = true
    case Self.upgradeText: upgrade = true
    default:
      for index in 0..<fields.count where head.equalIgnoringCase(fields[index].nameRange, member) {
        fields.nominate(index)
        hasNominations = true
      }
    }
  }

  private static let closeText = PackedText("close")
  private static let keepAliveText = PackedText("keep-alive")
  private static let upgradeText = PackedText("upgrade")
}

extension Span where Element == UInt8 {
  /// Whether two ranges hold the same text, if `A`–`Z` are taken for `a`–`z`.
  func equalIgnoringCase(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
    guard a.count == b.count else { return false }
    var offset = 0
    while offset < a.count {
      let kept = Swift.min(8, a.count - offset)
      var left = PackedText()
      var right = PackedText()
      left.append(word: ByteWord.lowercased(paddedWord(at: a.lowerBound + offset)), count: kept)
      right.append(word: ByteWord.lowercased(paddedWord(at: b.lowerBound + offset)), count: kept)
      guard left == right else { return false }
      offset += 8
    }
    return true
  }
}
