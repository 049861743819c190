import GatewayBase
import GatewayProxy

/// What a process and its successor say to each other, a message a line of text:
///
///     successor                          predecessor
///     take                 ─────────►
///                          ◄─────────    listener proxy 0.0.0.0:8080 0     (its sockets go along; may come again)
///                          ◄─────────    end
///     kept proxy 0.0.0.0:8080 0  ───►                                      (one for each that it serves)
///     serving              ─────────►
///                          ◄─────────    released
///
/// Until `serving` the predecessor serves as ever, so that a successor that fails to start changes nothing.
enum HandoverMessage: Equatable {
  case take
  case listener(Listener.Name)
  case end
  case kept(Listener.Name)
  case serving
  case released

  var text: String {
    switch self {
    case .take: "take"
    case .listener(let name): "listener \(name.text)"
    case .end: "end"
    case .kept(let name): "kept \(name.text)"
    case .serving: "serving"
    case .released: "released"
    }
  }

  /// Nil for what is none: of another release, perhaps.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    switch (words[0], words.count) {
    case ("take", 1): self = .take
    case ("end", 1): self = .end
    case ("serving", 1): self = .serving
    case ("released", 1): self = .released
    case ("listener", 4):
      guard let name = Listener.Name(words[1...]) else { return nil }
      self = .listener(name)
    case ("kept", 4):
      guard let name = Listener.Name(words[1...]) else { return nil }
      self = .kept(name)
    default: return nil
    }
  }
}

extension Listener.Name {
  fileprivate var text: String { "\(role) \(address) \(ordinal)" }

  fileprivate init?(_ words: ArraySlice<Substring>) {
    guard let role = words.first, let ordinal = words.last.flatMap({ Int($0) }), words.count == 3,
      let address = try? SocketAddress(String(words[words.startIndex + 1]))
    else { return nil }
    self.init(role: String(role), address: address, ordinal: ordinal)
  }
}
