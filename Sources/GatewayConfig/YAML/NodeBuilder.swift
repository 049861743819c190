import GatewayBase

/// Takes events and builds the tree; its depth and size are bounded.
struct NodeBuilder {
  let diagnostics: Diagnostics
  /// The first document's value, once it is complete.
  private(set) var root: Node?
  /// Whether something outside the dialect was seen: the tree is of no use then.
  private(set) var isUnsupported = false

  private var stack: [Frame] = {
    var stack: [Frame] = []
    stack.reserveCapacity(Limits.configurationDepth)
    return stack
  }()
  private var nodes = 0
  private var documents = 0

  init(diagnostics: Diagnostics) { self.diagnostics = diagnostics }

  private struct Frame {
    let isMapping: Bool
    let place: Place
    var items: [Node] = []
    var entries: [Node.Entry] = []
    var pendingKey: (text: String, place: Place)?
    /// Of a mapping that has grown too long to be searched entry by entry.
    var keyPlaces: [String: Place] = [:]

    /// Where a key was given before. A look at each entry is faster than hashing while there are few.
    func firstPlace(of key: String) -> Place? {
      if entries.count > Self.searched { return keyPlaces[key] }
      return entries.firstIndex { $0.key == key }.map { entries[$0].keyPlace }
    }

    mutating func append(_ entry: Node.Entry) {
      if entries.isEmpty { entries.reserveCapacity(8) }
      entries.append(entry)
      if entries.count == Self.searched + 1 {
        for entry in entries { keyPlaces[entry.key] = entry.keyPlace }
      } else if entries.count > Self.searched {
        keyPlaces[entry.key] = entry.keyPlace
      }
    }

    private static var searched: Int { 24 }
  }

  /// False where reading must stop.
  mutating func take(_ event: YAMLEvent) -> Bool {
    switch event.kind {
    case .documentStart:
      documents += 1
      guard documents == 1 else {
        return stop(
          at: event.place, "a second document (---) is not part of this dialect", hint: "one file, one document")
      }
    case .alias:
      refuse(at: event.place, "an alias (*name) is not part of this dialect", hint: "write the value out")
      return add(Node(content: .scalar("", isPlain: true), place: event.place))
    case .scalar(let text, let isPlain):
      refuseDecoration(of: event)
      return add(Node(content: .scalar(text, isPlain: isPlain), place: event.place))
    case .sequenceStart:
      refuseDecoration(of: event)
      return open(Frame(isMapping: false, place: event.place))
    case .mappingStart:
      refuseDecoration(of: event)
      return open(Frame(isMapping: true, place: event.place))
    case .sequenceEnd, .mappingEnd: return close()
    case .streamEnd, .other: break
    }
    return true
  }

  private mutating func open(_ frame: Frame) -> Bool {
    guard stack.count < Limits.configurationDepth else {
      diagnostics.error(
        .invalidYAML, at: frame.place, "lists and mappings are nested over \(Limits.configurationDepth) deep",
        hint: "no key of a configuration needs that")
      return false
    }
    if awaitsKey {
      return stop(
        at: frame.place, "a list or mapping as a key is not part of this dialect", hint: "a key is a plain word")
    }
    guard count(at: frame.place) else { return false }
    stack.append(frame)
    return true
  }

  private mutating func close() -> Bool {
    guard let frame = stack.popLast() else { return true }
    let content: Node.Content = frame.isMapping ? .mapping(frame.entries) : .sequence(frame.items)
    place(Node(content: content, place: frame.place))
    return true
  }

  private mutating func add(_ node: Node) -> Bool {
    guard count(at: node.place) else { return false }
    if awaitsKey {
      takeKey(node)
    } else {
      place(node)
    }
    return true
  }

  /// Whether what comes next is the key of an entry.
  private var awaitsKey: Bool {
    // Not `stack.last`: a copy of a frame has its arrays copied with the next change.
    let top = stack.count - 1
    return top >= 0 && stack[top].isMapping && stack[top].pendingKey == nil
  }

  private mutating func takeKey(_ node: Node) {
    guard case .scalar(let key, let isPlain) = node.content else { return }
    if isPlain && key == "<<" {
      refuse(at: node.place, "a merge key (<<) is not part of this dialect", hint: "write the keys out")
    } else if key.isEmpty && !isUnsupported {
      refuse(at: node.place, "a key without a name", hint: "write key: value")
    }
    stack[stack.count - 1].pendingKey = (key, node.place)
  }

  /// Puts a complete value where it belongs.
  private mutating func place(_ node: Node) {
    guard let top = stack.indices.last else {
      if documents == 1 { root = node }
      return
    }
    guard let key = stack[top].pendingKey else {
      stack[top].items.append(node)
      return
    }
    stack[top].pendingKey = nil
    if let first = stack[top].firstPlace(of: key.text) {
      diagnostics.error(
        .duplicateKey, at: key.place,
        "the key \(Quoted(key.text)) is given twice, on line \(first.line) and line \(key.place.line)",
        hint: "keep one of the two")
      return
    }
    // libyaml places an absent value behind the next token: the key is where a reader looks.
    let value = node.isAbsent ? Node(content: node.content, place: key.place) : node
    stack[top].append(Node.Entry(key: key.text, keyPlace: key.place, value: value))
  }

  private mutating func count(at place: Place) -> Bool {
    nodes += 1
    guard nodes <= Limits.configurationNodes else {
      diagnostics.error(
        .invalidYAML, at: place, "the file has over \(Limits.configurationNodes) keys and values",
        hint: "split it: one file an app")
      return false
    }
    return true
  }

  private mutating func refuseDecoration(of event: YAMLEvent) {
    if event.hasAnchor {
      refuse(at: event.place, "an anchor (&name) is not part of this dialect", hint: "write the value where it is used")
    }
    if event.hasTag {
      refuse(at: event.place, "a tag (!type) is not part of this dialect", hint: "remove it; each key knows its type")
    }
  }

  private mutating func refuse(at place: Place, _ message: String, hint: String) {
    isUnsupported = true
    diagnostics.error(.unsupportedYAML, at: place, message, hint: hint)
  }

  private mutating func stop(at place: Place, _ message: String, hint: String) -> Bool {
    refuse(at: place, message, hint: hint)
    return false
  }
}

extension Node {
  fileprivate var isAbsent: Bool {
    guard case .scalar("", isPlain: true) = content else { return false }
    return true
  }
}
