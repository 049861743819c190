/// A value of a YAML file with its place: a tree without aliases, tags or guessed types.
struct Node: Sendable {
  enum Content: Sendable {
    /// The text as written; whether it was bare matters, since `"80"` is not a number and `"~"` not nothing.
    case scalar(String, isPlain: Bool)
    case sequence([Node])
    /// In the order of the file, each key once.
    case mapping([Entry])
  }

  struct Entry: Sendable {
    let key: String
    let keyPlace: Place
    var value: Node

    /// Whether it is a note of the writer's, which means nothing here.
    var isNote: Bool { key.utf8.starts(with: "x-".utf8) }
  }

  var content: Content
  let place: Place

  /// Whether this is nothing: an absent value, `~` or `null`, all bare.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    switch text {
    case "", "~", "null", "Null", "NULL": return true
    default: return false
    }
  }

  /// What the value is, for messages.
  var kind: String {
    switch content {
    case .scalar: "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }
}
