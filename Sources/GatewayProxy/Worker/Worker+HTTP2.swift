import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTLS

// HTTP/2 connections of both sides: bytes to the machine, frames to the wire. What the machine makes of them is sent
// once at the end of a turn, so that all streams that moved share one record and one system call.
extension Worker {
  /// Reads of one connection in one go, before the others get their turn.
  private static var reads: Int { 16 }

  /// Takes over the wire of a connection that agreed on HTTP/2.
  func insert(http2 wire: consuming Wire, _ link: HTTP2Link) -> Handle {
    let descriptor = wire.descriptor
    let handle = http2.insert(HTTP2Connection(wire: wire, link: link))
    link.connection = handle
    loop.poller.rewatch(descriptor, as: handle)
    http2[handle].incoming.mayRead = true
    list(handle)
    return handle
  }

  func http2Ready(_ handle: Handle, _ readiness: Readiness) {
    http2[handle].incoming.note(readiness)
    if readiness.hasAny(of: .writable) { http2[handle].isBlocked = false }
    list(handle)
    // What a backend sent before it broke the connection may be whole answers. A client that did so wants none.
    if readiness.hasAny(of: .broken), http2[handle].link is HTTP2ClientLink { return close(http2: handle) }
    readFrames(handle)
  }

  /// Gives the machine what the kernel has. The connection may be gone afterwards.
  func readFrames(_ handle: Handle) {
    var block = blocks.take()
    var count = 0
    while http2.contains(handle), http2[handle].incoming.mayRead {
      guard count < Self.reads else {
        mailbox.post { if $0.http2.contains(handle) { $0.readFrames(handle) } }
        break
      }
      count += 1
      block.clear()
      let room = block.room
      let result = http2[handle].wire.receive(into: &block)
      guard case .moved(let moved) = result else {
        http2[handle].incoming.mayRead = false
        if result != .wouldBlock { close(http2: handle) }
        break
      }
      http2[handle].incoming.noteRead(moved, of: room, from: http2[handle].wire)
      if http2[handle].isLingering {
        http2[handle].lingered += moved
        guard http2[handle].lingered > Limits.lingering else { continue }
        close(http2: handle)
        break
      }
      let link = http2[handle].link
      list(handle)
      if case .end(let reason) = link.machine.receive(block.bytes, now: loop.clock.milliseconds) {
        noteEnd(reason)
        flushFrames(handle)
        if http2.contains(handle) { linger(http2: handle) }
        continue
      }
    }
    blocks.give(block)
    if http2.contains(handle), !http2[handle].isLingering { watchIdleness(of: handle) }
  }

  private func noteEnd(_ reason: HTTP2End) {
    if reason == .flood || reason == .headerListTooLarge { counters.http2Floods.increment() }
  }

  /// Notes that the connection may have something to send, at the end of this turn.
  func list(_ handle: Handle) {
    guard !http2[handle].isListed else { return }
    http2[handle].isListed = true
    unflushed.value.append(handle)
  }

  /// The turn is over: sends what its events left, and what the room that this makes lets follow.
  package func turnEnded() {
    while let handle = unflushed.value.popLast() {
      guard http2.contains(handle) else { continue }
      http2[handle].isListed = false
      flushFrames(handle)
      goOnWithUnblocked()
    }
  }

  /// Streams whose output has room again: what feeds them is read on.
  private func goOnWithUnblocked() {
    while let handle = unblocked.value.popLast() {
      if clients.contains(handle), clients[handle].phase == .exchanging {
        clientIsWritable(clients[handle].exchange)
        driveClient(handle)
      } else if upstreams.contains(handle), upstreams[handle].phase == .busy {
        let exchange = upstreams[handle].exchange
        let client = exchanges[exchange].client
        send(exchange)
        driveClient(client)
      }
    }
  }

  /// Sends frames until there are none or the kernel has no room. The connection may be gone afterwards.
  private func flushFrames(_ handle: Handle) {
    guard !http2[handle].isBlocked, !http2[handle].isLingering else { return }
    let link = http2[handle].link
    var out = http2[handle].output.take() ?? blocks.take()
    var isDrained = false
    while true {
      if !isDrained, out.room >= Limits.http2LeastRoom {
        isDrained = !out.withRoom { (output: inout OutputSpan<UInt8>) in link.machine.takeOutput(into: &output) }
      }
      if out.isEmpty { break }
      let result = http2[handle].wire.send(out.bytes)
      guard case .moved(let count) = result else {
        http2[handle].output = consume out
        guard result == .wouldBlock else { return close(http2: handle) }
        http2[handle].isBlocked = true
        loop.wheel.set(
          &http2[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.progress)
        return
      }
      out.consume(count)
      if isDrained && out.isEmpty { break }
      if out.room < Limits.http2LeastRoom { out.compact() }
    }
    blocks.give(out)
    if link.machine.isDone { linger(http2: handle) } else { watchIdleness(of: handle) }
  }

  /// A connection without streams has its time, which bytes that make no stream do not lengthen.
  private func watchIdleness(of handle: Handle) {
    guard !http2[handle].isBlocked else { return }
    if http2[handle].link.machine.openStreams > 0 {
      loop.wheel.clear(&http2[handle].deadline)
    } else if http2[handle].deadline.milliseconds == .max {
      let wait = http2[handle].link is HTTP2ClientLink ? context.limits.idle : UpstreamPool.http2IdleLimit
      loop.wheel.set(&http2[handle].deadline, of: handle, to: loop.clock.milliseconds + wait)
    }
  }

  func http2IsLate(_ handle: Handle) {
    if http2[handle].isBlocked || http2[handle].isLingering { return close(http2: handle) }
    guard http2[handle].link.machine.openStreams == 0 else { return }
    http2[handle].link.machine.finishGoAway()
    list(handle)
    turnEnded()
    if http2.contains(handle) { close(http2: handle) }
  }

  /// Ends the connection for its streams and for sending, and lets the peer read the end.
  private func linger(http2 handle: Handle) {
    http2[handle].isLingering = true
    http2[handle].link.machine.tearDown(.cancel)
    guard http2.contains(handle) else { return }
    http2[handle].wire.finishSending()
    loop.wheel.set(&http2[handle].deadline, of: handle, to: loop.clock.milliseconds + context.limits.linger)
  }

  /// Ends the connection at once; its streams hear of it.
  func close(http2 handle: Handle) {
    let link = http2[handle].link
    link.machine.tearDown(.cancel)
    guard http2.contains(handle) else { return }
    leavePool(handle)
    give(http2[handle].output.take())
    http2[handle].wire.close()
    http2.remove(handle)
    if let link = link as? HTTP2ClientLink { leave(link.listener, link.peer, isCounted: link.isCounted) }
  }
}
