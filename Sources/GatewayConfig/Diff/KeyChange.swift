import GatewayBase

/// A key whose value is another in the new version of a file.
package struct KeyChange: Sendable, Equatable {
  package enum Kind: String, Sendable { case added, removed, changed }

  package let kind: Kind
  /// From the file's own keys down: `routes[/v1/].auth`.
  package let key: String
  /// As a file would have them, long ones cut, addresses of mail left out.
  package let old: String?
  package let new: String?
  /// `file:line:column` in the new version; in the old one where the key is gone.
  package let place: String
}

/// Compares two versions of a file key by key. Order and layout make no difference; notes (`x-…`) are no keys.
struct KeyComparison {
  /// What an item of a list is told by where that is a mapping: the first of these that it has.
  private static let identities = ["path", "id", "issuer", "address", "certificate"]

  private let files: (old: String, new: String)
  private var changes: [KeyChange] = []

  static func changes(from old: Node?, to new: Node?, files: (old: String, new: String)) -> [KeyChange] {
    var comparison = KeyComparison(files: files)
    comparison.compare(old, new, "")
    return comparison.changes
  }

  private init(files: (old: String, new: String)) { self.files = files }

  private mutating func compare(_ old: Node?, _ new: Node?, _ key: String) {
    guard let old, let new else { return note(old, new, key) }
    switch (old.content, new.content) {
    case (.mapping(let before), .mapping(let after)):
      let (before, after) = (before.filter(\.isKey), after.filter(\.isKey))
      for entry in before {
        compare(
          entry.value, after.first { $0.key == entry.key }?.value, key.isEmpty ? entry.key : "\(key).\(entry.key)")
      }
      for entry in after where !before.contains(where: { $0.key == entry.key }) {
        compare(nil, entry.value, key.isEmpty ? entry.key : "\(key).\(entry.key)")
      }
    case (.sequence(let before), .sequence(let after)):
      guard let (before, after) = Self.identified(before, after) else {
        if old.flowText != new.flowText { note(old, new, key) }
        return
      }
      for item in before { compare(item.node, after.first { $0.name == item.name }?.node, "\(key)[\(item.name)]") }
      for item in after where !before.contains(where: { $0.name == item.name }) {
        compare(nil, item.node, "\(key)[\(item.name)]")
      }
    default: if old.flowText != new.flowText { note(old, new, key) }
    }
  }

  private mutating func note(_ old: Node?, _ new: Node?, _ key: String) {
    guard let node = new ?? old else { return }
    let file = new == nil ? files.old : files.new
    changes.append(
      KeyChange(
        kind: old == nil ? .added : new == nil ? .removed : .changed, key: key.isEmpty ? "the file" : key,
        old: old?.shown, new: new?.shown, place: "\(file):\(node.place.line):\(node.place.column)"))
  }

  /// The items of two lists by what tells them apart; nil where that is nothing.
  private static func identified(
    _ old: [Node], _ new: [Node]
  ) -> ([(name: String, node: Node)], [(name: String, node: Node)])? {
    for key in identities {
      let (before, after) = (old.map { ($0.text(of: key), $0) }, new.map { ($0.text(of: key), $0) })
      let names = (before.compactMap(\.0), after.compactMap(\.0))
      guard names.0.count == old.count, names.1.count == new.count, Set(names.0).count == old.count,
        Set(names.1).count == new.count, !old.isEmpty || !new.isEmpty
      else { continue }
      return (Array(zip(names.0, old)), Array(zip(names.1, new)))
    }
    return nil
  }
}

extension Node.Entry {
  fileprivate var isKey: Bool { !key.hasPrefix("x-") }
}

extension Node {
  fileprivate func text(of key: String) -> String? {
    guard case .mapping(let entries) = content,
      case .scalar(let text, _) = entries.first(where: { $0.key == key })?.value.content
    else { return nil }
    return text
  }

  /// On one line, as a file could have it.
  fileprivate var flowText: String {
    switch content {
    case .scalar(let text, _): text
    case .sequence(let items): "[" + items.map(\.flowText).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{ " + entries.filter(\.isKey).map { "\($0.key): \($0.value.flowText)" }.joined(separator: ", ") + " }"
    }
  }

  fileprivate var shown: String {
    let text = flowText
    if text.holds("@") { return "…" }
    return text.count > 80 ? "\(text.prefix(79))…" : text
  }
}
