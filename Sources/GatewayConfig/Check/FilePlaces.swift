import GatewayBase

/// Where the keys of a file stand: read anew from the file, so that what runs need not keep it.
package struct FilePlaces: Sendable {
  /// One step from a value to one inside it.
  package enum Step: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case key(String)
    case index(Int)

    package init(stringLiteral value: String) { self = .key(value) }
    package init(integerLiteral value: Int) { self = .index(value) }
  }

  private let file: String
  private let root: Node?

  /// - Parameter file: its path. Where it can't be read, nothing has a place.
  package init(file: String) {
    self.file = file
    let diagnostics = Diagnostics(file: file)
    root = diagnostics.bytes().flatMap { YAMLReader.read($0, diagnostics) }
  }

  /// `file:line:column` of the value at the end of `steps`; nil where the file has none, and a default holds.
  package func place(_ steps: Step...) -> String? { place(steps) }

  package func place(_ steps: [Step]) -> String? {
    location(steps).map { "\(file):\($0.line):\($0.column)" }
  }

  /// The same place as numbers.
  package func location(_ steps: [Step]) -> Place? {
    var node = root
    for step in steps { node = node?.value(at: step) }
    return node?.place
  }

  /// The index of the route with this path.
  package func route(_ path: String) -> Int? {
    guard case .sequence(let items) = root?.value(at: "routes")?.content else { return nil }
    return items.firstIndex { $0.value(at: "path")?.text == path }
  }

  /// The index of the domain that this host is.
  package func domain(_ host: HostName) -> Int? {
    guard case .sequence(let items) = root?.value(at: "domains")?.content else { return nil }
    return items.firstIndex { item in item.text.flatMap { try? HostName.domain($0) } == host }
  }
}

extension Node {
  fileprivate func value(at step: FilePlaces.Step) -> Node? {
    switch (content, step) {
    case (.mapping(let entries), .key(let name)): entries.first { $0.key == name }?.value
    case (.sequence(let items), .index(let index)): items.indices.contains(index) ? items[index] : nil
    default: nil
    }
  }

  fileprivate var text: String? { if case .scalar(let text, _) = content { text } else { nil } }
}
