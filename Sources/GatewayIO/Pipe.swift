import CLinux
import Glibc

/// A pipe that bytes pass through on their way from one socket to another without leaving the kernel. Closed with its
/// value, and what it holds with it.
///
/// `splice(2)` moves references to the pages that the bytes are in, so a long body costs no copy. It works between
/// sockets that carry the bytes as they are, which a TLS socket does not.
package struct Pipe: ~Copyable {
  private let output: Int32
  private let input: Int32
  /// Bytes in it.
  package private(set) var count = 0

  /// An empty pipe; nil where no descriptor is left.
  init?() {
    var ends: (Int32, Int32) = (-1, -1)
    let result = unsafe withUnsafeMutablePointer(to: &ends) { ends in
      unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe clinux_pipe($0) }
    }
    guard result == 0 else { return nil }
    (output, input) = ends
  }

  init(recycling ends: (output: Int32, input: Int32)) { (output, input) = ends }

  deinit {
    Socket.close(output)
    Socket.close(input)
  }

  /// What `fill` fails with for a socket that can't do it.
  package static var unsuitable: Int32 { EINVAL }

  /// Whether there are no bytes in it.
  package var isEmpty: Bool { count == 0 }

  /// Ends the life of the value without closing the pipe, which must be empty.
  consuming func intoEnds() -> (output: Int32, input: Int32) {
    precondition(count == 0)
    let ends = (output, input)
    discard self
    return ends
  }

  /// Moves up to `limit` bytes from a socket into the pipe, which must be empty: it holds as much as one block.
  ///
  /// - Returns: `.moved`, also where the socket has more; `.failed(unsuitable)` for a socket that can't do it.
  package mutating func fill(from socket: Int32, limit: Int) -> Transfer {
    precondition(count == 0 && limit > 0)
    let result = Self.move(from: socket, to: input, limit)
    if case .moved(let moved) = result { count = moved }
    return result
  }

  /// Moves what the pipe holds to a socket, as far as that takes it now.
  package mutating func drain(to socket: Int32) -> Transfer {
    precondition(count > 0)
    let result = Self.move(from: output, to: socket, count)
    if case .moved(let moved) = result { count -= min(moved, count) }
    return result
  }

  private static func move(from source: Int32, to target: Int32, _ limit: Int) -> Transfer {
    while true {
      let moved = clinux_splice(source, target, limit)
      if moved > 0 { return .moved(moved) }
      if moved == 0 { return .ended }
      if errno != EINTR { return Socket.failure() }
    }
  }
}

/// Empty pipes of one event loop, and a bound on how many are in use.
///
/// Not shared: only the loop's thread touches it.
package struct PipePool: ~Copyable {
  private var free: [(output: Int32, input: Int32)] = []
  /// Pipes that are out.
  package private(set) var lent = 0
  private let limit: Int

  /// - Parameter limit: pipes that may be out at once.
  package init(limit: Int) { self.limit = limit }

  deinit {
    for ends in free {
      Socket.close(ends.output)
      Socket.close(ends.input)
    }
  }

  /// An empty pipe; nil where too many are out, or no descriptor is left.
  package mutating func take() -> Pipe? {
    guard lent < limit else { return nil }
    if let ends = free.popLast() {
      lent += 1
      return Pipe(recycling: ends)
    }
    guard let pipe = Pipe() else { return nil }
    lent += 1
    return pipe
  }

  /// Takes a pipe back. One that holds bytes is closed: nobody must get what was another's.
  package mutating func give(_ pipe: consuming Pipe) {
    lent -= 1
    if pipe.isEmpty { free.append(pipe.intoEnds()) }
  }
}
