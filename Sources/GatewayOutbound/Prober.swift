import CCurl
import GatewayBase
import GatewayIO

/// Sends probes, any number at once, from one thread: a server that does not answer holds up no other.
package final class Prober: Sendable {
  private let work: ProbeWork

  /// - Throws: `OutboundError` where libcurl can't be had.
  package init() throws(OutboundError) {
    guard CurlTransfer.isInitialised, let work = ProbeWork() else { throw .failed("libcurl can't be started") }
    self.work = work
    Thread.start(name: "probes") { work.run() }
  }

  deinit { work.stop() }

  /// Sends a probe; `done` is called once, on the prober's thread, and must not block.
  package func send(_ probe: Probe, done: @escaping @Sendable (ProbeResult) -> Void) { work.put(probe, done) }
}

/// What the prober's thread works on.
///
/// `@unchecked Sendable`: `multi` is set once, and only woken from other threads, which libcurl allows; `transfers` is
/// touched on the prober's thread alone. The thread frees `multi` after `queue` says that it is stopped, and whoever
/// wakes it holds the queue's lock.
@safe private final class ProbeWork: @unchecked Sendable {
  private struct Queue {
    var probes: [(probe: Probe, done: @Sendable (ProbeResult) -> Void)] = []
    var isStopped = false
  }

  /// Milliseconds that the thread sleeps at most when nothing happens.
  private static let nap: Int32 = 60_000

  private let multi: UnsafeMutableRawPointer
  private let queue = Locked(Queue())
  /// By the address of their handle.
  private var transfers: [UInt: ProbeTransfer] = [:]

  init?() {
    guard let multi = unsafe curl_multi_init() else { return nil }
    unsafe self.multi = unsafe multi
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  func put(_ probe: Probe, _ done: @escaping @Sendable (ProbeResult) -> Void) {
    queue.withLock { queue in
      guard !queue.isStopped else { return }
      queue.probes.append((probe, done))
      unsafe curl_multi_wakeup(multi)
    }
  }

  func stop() {
    queue.withLock { queue in
      queue.isStopped = true
      unsafe curl_multi_wakeup(multi)
    }
  }

  func run() {
    while true {
      let (probes, isStopped) = queue.withLock { queue in
        defer { queue.probes = [] }
        return (queue.probes, queue.isStopped)
      }
      guard !isStopped else { break }
      for (probe, done) in probes { begin(probe, done) }
      var running: Int32 = 0
      unsafe curl_multi_perform(multi, &running)
      finishEnded()
      unsafe curl_multi_poll(multi, nil, 0, Self.nap, nil)
    }
    for transfer in transfers.values { unsafe curl_multi_remove_handle(multi, transfer.handle) }
    transfers = [:]
  }

  private func begin(_ probe: Probe, _ done: @escaping @Sendable (ProbeResult) -> Void) {
    do throws(OutboundError) {
      let transfer = try ProbeTransfer(probe, done: done)
      guard unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
        throw .failed("libcurl takes no request")
      }
      unsafe transfers[UInt(bitPattern: transfer.handle)] = transfer
    } catch {
      done(.failed(error))
    }
  }

  private func finishEnded() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
        continue
      }
      let code = unsafe message.pointee.data.result
      unsafe curl_multi_remove_handle(multi, handle)
      if let transfer = transfers.removeValue(forKey: UInt(bitPattern: handle)) {
        transfer.done(transfer.result(code))
      }
    }
  }
}
