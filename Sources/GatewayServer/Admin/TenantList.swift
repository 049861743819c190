import GatewayBase
import GatewayConfig

/// The tenant files as `/tenants` tells them: how many are in each state, and those that were asked for.
struct TenantList: Sendable {
  /// What is asked for.
  struct Query: Sendable, Equatable {
    var state: TenantSet.State?
    var app: Int64?
    /// Part of a file's path.
    var file: String?
    /// The path behind which the list begins.
    var after = ""
    var limit = Query.usualLimit

    static let usualLimit = 1000
    static let longest = 10_000
  }

  let book: TenantBook

  /// The answer's body, in the order of paths; `next` is what `after` must say for the rest.
  func json(_ query: Query) -> [UInt8] {
    let wanted = paths(query)
    let page = wanted.prefix(query.limit)
    let answer = JSONTree.members([
      "files": .object(book.states.map { JSONTree.Member($0.state, .integer(Int64($0.count))) }),
      "folders": .list(
        book.folderProblems.map { .object([JSONTree.Member("folder", .text($0.file))] + $0.finding) }),
      "tenants": .list(page.compactMap { path in book.entries[path].map { Self.json(path, $0) } }),
      "next": wanted.count > page.count ? page.last.map(JSONTree.text) : nil,
    ])
    return Array((answer.compact + "\n").utf8)
  }

  private func paths(_ query: Query) -> [String] {
    book.entries.lazy.filter { path, entry in
      (query.state == nil || entry.state == query.state) && (query.app == nil || entry.running == query.app)
        && (query.file.map { path.utf8.count >= $0.utf8.count && path.contains($0) } ?? true)
        && (query.after.isEmpty || FilePath.precedes(query.after, path))
    }.map(\.key).sorted(by: FilePath.precedes)
  }

  private static func json(_ path: String, _ entry: TenantBook.Entry) -> JSONTree {
    .members([
      "file": .text(path), "state": .text(entry.state.rawValue), "since": .text(entry.since.rfc3339),
      "app": entry.running.map(JSONTree.integer), "digest": entry.digest.map { JSONTree.text($0.description) },
      "warnings": .integer(Int64(entry.warnings)), "problems": .list(entry.problems.map(\.json)),
    ])
  }
}

extension TenantList.Query {
  /// - Throws: where the query of a URL has what is not known, or a value that is none.
  init(_ query: String?) throws(Refusal) {
    self.init()
    for part in (query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let value = Self.decoded(pair[1]) else { throw .invalidRequest("The query is malformed.") }
      switch pair[0] {
      case "state":
        guard let known = TenantSet.State(rawValue: value) else {
          throw .invalidRequest("state is ok, stale or refused.")
        }
        state = known
      case "app":
        guard let number = Int64(value) else { throw .invalidRequest("app is a number.") }
        app = number
      case "file": file = value
      case "after": after = value
      case "limit":
        guard let number = Int(value), (1...Self.longest).contains(number) else {
          throw .invalidRequest("limit is 1 to \(Self.longest).")
        }
        limit = number
      default: throw .invalidRequest("Known are state, app, file, after and limit.")
      }
    }
  }

  /// Percent-encoding undone (RFC 3986 section 2.1); nil where it is malformed.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
