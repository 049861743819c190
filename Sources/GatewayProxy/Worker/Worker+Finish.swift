import GatewayBase
import GatewayIO

// Answers that nobody waits for any more: an app may ask that its backends are let finish rather than cut off
// (`onClientGone: drain`).
extension Worker {
  /// Leaves the backend of an exchange that is aborted its connection for a while; false where it is to be cut off.
  func letFinish(_ exchange: Handle) -> Bool {
    let upstream = exchanges[exchange].upstream
    guard exchanges[exchange].isAborted, exchanges[exchange].tenant?.letsBackendsFinish ?? false, !upstream.isNone,
      upstreams[upstream].phase == .busy, !exchanges[exchange].isTunnel,
      exchanges[exchange].requestBody.isComplete, exchanges[exchange].requestOut?.isEmpty ?? true
    else { return false }
    exchanges[exchange].upstream = .none
    upstreams[upstream].exchange = .none
    upstreams[upstream].phase = .finishing
    give(upstreams[upstream].input.take())
    loop.wheel.set(
      &upstreams[upstream].deadline, of: upstream, to: loop.clock.milliseconds + Limits.unwantedAnswerTime)
    if upstreams[upstream].stream == nil { dropAnswer(upstream) }
    return true
  }

  /// Reads and drops what the backend has sent. The connection is not used again.
  func dropAnswer(_ upstream: Handle) {
    var block = blocks.take()
    reading: while upstreams[upstream].incoming.mayRead {
      block.clear()
      let room = block.room
      switch upstreams[upstream].wire.receive(into: &block) {
      case .moved(let count):
        upstreams[upstream].incoming.noteRead(count, of: room, from: upstreams[upstream].wire)
        guard noteDropped(count, upstream) else { break reading }
      case .wouldBlock: upstreams[upstream].incoming.mayRead = false
      case .ended, .failed:
        close(upstream: upstream)
        break reading
      }
    }
    block.clear()
    blocks.give(block)
  }

  /// Counts what was dropped; false where that is enough, and the connection was closed.
  func noteDropped(_ count: Int, _ upstream: Handle) -> Bool {
    upstreams[upstream].dropped += count
    if upstreams[upstream].dropped <= Limits.unwantedAnswer { return true }
    close(upstream: upstream)
    return false
  }
}
