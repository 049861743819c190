import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayProxy

// From the first request to the end of the drain.
extension RunningGateway {
  /// Serves until a signal or a successor ends it, and then drains (see `LifeCycle`).
  func run(until signals: AsyncStream<SignalStream.Signal>) async {
    let (facts, teller) = AsyncStream.makeStream(of: LifeCycle.Fact.self)
    let door = openDoor()
    watch.start()
    let tasks = [
      Task { await runBackground() },
      Task { for await signal in signals { teller.yield(signal == .hangUp ? .reloadAsked : .endAsked) } },
      Task { if let door { await answer(at: door, teller) } },
    ]
    var life = LifeCycle()
    events: for await fact in facts {
      switch life.take(fact) {
      case .nothing: break
      case .reload: Task { await reload() }
      case .drain(let kind):
        Task {
          await drain(kind, door)
          teller.yield(.drained)
        }
      case .end: break events
      }
    }
    door?.close()
    watch.stop()
    for task in tasks { task.cancel() }
    pluginLoader.finish()
    access?.lines.finish(milliseconds: Limits.lineFinish)
  }

  /// Hands the listeners to a successor that asks, until one has them.
  private func answer(at door: HandoverDoor, _ teller: AsyncStream<LifeCycle.Fact>.Continuation) async {
    for await channel in door.successors {
      guard let kept = await HandoverDoor.hand(workers, to: channel) else {
        logger.warning("a successor asked for the listeners and did not come to serve them")
        continue
      }
      await workers.release(kept)
      door.close()
      // It opens a door of its own as soon as it hears this.
      try? channel.send(HandoverMessage.released.text)
      logger.info("a successor serves the listeners", .integer("listeners", kept.count))
      teller.yield(.handedOver)
      return
    }
  }

  /// Stops by steps, so that no request is lost: answers end their connections, then no new connections, then the end
  /// of what is left. Where nobody takes over, whoever sends requests here is told first that it ends.
  private func drain(_ kind: LifeCycle.Drain, _ door: HandoverDoor?) async {
    if kind == .ending {
      readiness.set(false)
      manager.tellStopping()
    }
    workers.beginDraining()
    logger.info("draining")
    try? await Task.sleep(nanoseconds: UInt64(configuration.drain.delay.count) * 1_000_000)
    door?.close()
    await workers.drain(timeout: UInt64(configuration.drain.timeout.count))
    await claims.leave(tenants)
    if let mailer {
      let lost = await Thread.run(name: "last mail") { mailer.finish(milliseconds: Limits.mailFinish) }
      if lost > 0 { logger.warning("letters were not sent before the end", .integer("letters", lost)) }
    }
    logger.info("drained")
  }
}
