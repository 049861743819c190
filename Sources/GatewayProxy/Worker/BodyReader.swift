import GatewayHTTP

/// Takes a body out of the bytes of a connection, whatever frames it (RFC 9112 section 6).
struct BodyReader {
  private enum Framing {
    case complete
    case length(UInt64)
    case chunked
    case untilClose
  }

  enum Step: Equatable {
    /// `count` bytes of the body lie after `skip` bytes of framing. Both are to be consumed.
    case data(skip: Int, count: Int)
    /// All bytes were framing or there are none; more are needed.
    case needMore(consumed: Int)
    /// The body ended after `consumed` bytes.
    case complete(consumed: Int)
    case malformed
  }

  private var framing: Framing
  private var decoder = ChunkedDecoder()

  init(_ framing: BodyFraming) {
    switch framing {
    case .none, .length(0): self.framing = .complete
    case .length(let count): self.framing = .length(count)
    case .chunked: self.framing = .chunked
    case .untilClose: self.framing = .untilClose
    }
  }

  var isComplete: Bool { if case .complete = framing { true } else { false } }
  var endsWithConnection: Bool { if case .untilClose = framing { true } else { false } }

  /// Bytes still to come, where the length is known.
  var remaining: UInt64? {
    switch framing {
    case .complete: 0
    case .length(let count): count
    case .chunked, .untilClose: nil
    }
  }

  /// Whether its bytes pass as they are, so that a part of a run may be consumed (see `passed`).
  var isTransparent: Bool {
    switch framing {
    case .length, .untilClose: true
    case .complete, .chunked: false
    }
  }

  /// Bytes of `available` that belong to a transparent body.
  func share(of available: Int) -> Int {
    switch framing {
    case .length(let count): Int(min(UInt64(available), count))
    case .untilClose: available
    case .complete, .chunked: 0
    }
  }

  /// Notes that `count` bytes of a transparent body were passed on.
  mutating func passed(_ count: Int) {
    guard case .length(let remaining) = framing else { return }
    let rest = remaining - min(remaining, UInt64(count))
    framing = rest == 0 ? .complete : .length(rest)
  }

  /// The next run of the body in `bytes`, which the caller consumes whole.
  mutating func next(_ bytes: Span<UInt8>) -> Step {
    switch framing {
    case .complete:
      return .complete(consumed: 0)
    case .length, .untilClose:
      let count = share(of: bytes.count)
      passed(count)
      return count == 0 ? .needMore(consumed: 0) : .data(skip: 0, count: count)
    case .chunked:
      switch decoder.next(bytes) {
      case .data(let skip, let count): return .data(skip: skip, count: count)
      case .needMore(let consumed): return .needMore(consumed: consumed)
      case .malformed: return .malformed
      case .end(let consumed):
        framing = .complete
        return .complete(consumed: consumed)
      }
    }
  }

  /// The sender ended the connection: whether the body was whole.
  mutating func connectionEnded() -> Bool {
    if endsWithConnection { framing = .complete }
    return isComplete
  }
}
