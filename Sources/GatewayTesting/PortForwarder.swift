import CLinux
import GatewayBase
import GatewayIO
import Glibc

/// A wire to a port on loopback that a test can cut: a peer that goes away while its process lives.
package final class PortForwarder: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let state = Locked(State())

  private struct State {
    var isCut = false
    var ends: [Int32] = []
  }

  package init(to target: UInt16) throws {
    (listener, port) = try Loopback.listen()
    self.target = target
    Thread.start(name: "test-wire") { [listener, weak self] in
      while true {
        let near = accept(listener, nil, nil)
        guard near >= 0 else { return }
        guard let self else {
          close(near)
          return
        }
        self.join(near)
      }
    }
  }

  deinit {
    cut()
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Ends every connection, and new ones at once.
  package func cut() {
    state.withLock { state in
      state.isCut = true
      for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  package func mend() { state.withLock { $0.isCut = false } }

  private func join(_ near: Int32) {
    guard let far = try? Loopback.socket() else {
      close(near)
      return
    }
    let isJoined = state.withLock { state in
      guard !state.isCut else { return false }
      guard unsafe Loopback.withAddress(port: target, { unsafe connect(far, $0, $1) }) == 0 else { return false }
      state.ends += [near, far]
      return true
    }
    guard isJoined else {
      close(near)
      close(far)
      return
    }
    let halves = Monitor(2)
    for (from, to) in [(near, far), (far, near)] {
      Thread.start(name: "test-wire") { [weak self] in
        while let piece = Descriptor.read(from, atMost: 65_536), !piece.isEmpty {
          if !Descriptor.writeAll(to, piece) { break }
        }
        shutdown(to, Int32(SHUT_WR))
        let isLast = halves.change { halves in
          halves -= 1
          return halves == 0
        }
        if isLast {
          self?.state.withLock { $0.ends.removeAll { $0 == near || $0 == far } }
          close(near)
          close(far)
        }
      }
    }
  }
}
