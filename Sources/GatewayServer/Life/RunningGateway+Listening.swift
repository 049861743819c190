import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayProxy

// How the gateway comes to its sockets: from a predecessor, from the service manager, or by opening them.
extension RunningGateway {
  private struct Planned {
    let name: Listener.Name
    let purpose: Listener.Purpose
    var tls: TLSServing?
    var isAnnounced = false
    var isAdmin: Bool { name.role == "admin" }
  }

  /// Listens. Requests may come as soon as this returns, and a predecessor drains then.
  ///
  /// - Parameter activated: what the service manager has passed.
  /// - Throws: `SystemError` where an address can't be had; a predecessor then goes on as if nothing had been.
  func start(activated: (sockets: [ActivatedSockets.Passed], unfit: Int)) throws {
    if activated.unfit > 0 {
      logger.warning("the service manager passed what is no listening socket", .integer("count", activated.unfit))
    }
    let planned = planned()
    let predecessor = configuration.handover.flatMap { Predecessor.ask(at: $0, logger: logger) }
    let plan = ListenerPlan(
      planned.map(\.name), offers: (predecessor?.offers ?? []) + ListenerPlan.offers(activated.sockets))
    // All of them, before the first is served: a start that fails must not have taken in a request.
    let sockets = try planned.enumerated().map { try open($1.name, plan.chosen[$0]) }
    readiness.set(true)
    for (listener, sockets) in zip(planned, sockets) {
      workers.listen(
        with: sockets, for: listener.purpose, tls: listener.tls, isAnnounced: listener.isAnnounced,
        name: listener.name, outlivesDrain: listener.isAdmin)
      logger.info("listening", .text("address", "\(sockets.address)"), .text("role", listener.name.role))
    }
    discard(plan.left)
    if let predecessor { relieve(predecessor, plan) }
    manager.tellReady()
  }

  private func planned() -> [Planned] {
    var planned: [Planned] = []
    func add(
      _ role: String, _ address: SocketAddress, _ purpose: Listener.Purpose, tls: TLSServing? = nil,
      isAnnounced: Bool = false
    ) {
      let ordinal = planned.count { $0.name.role == role && $0.name.address == address }
      planned.append(
        Planned(
          name: Listener.Name(role: role, address: address, ordinal: ordinal), purpose: purpose, tls: tls,
          isAnnounced: isAnnounced))
    }
    for (listener, certificates) in zip(configuration.listen, certificates) {
      add(
        certificates == nil ? "proxy" : "proxy-tls", listener.address, .hosts, tls: certificates?.serving,
        isAnnounced: listener.isAnnounced)
    }
    add("admin", configuration.admin.address, .service(adminService))
    return planned
  }

  private var adminService: AdminService {
    AdminService(
      readiness: readiness,
      metrics: Metrics(
        workers: { [workers] in workers.counters }, apps: { [tenants] in tenants.labels.all },
        files: { [tenants] in tenants.states }, plugins: { [state] in state.plugins },
        droppedLines: { [access] in access?.lines.dropped ?? 0 }, version: release,
        backends: { [state] in
          BackendState.all(
            of: state.directory.apps.values.lazy.map(\.tenant), now: MonotonicClock.nanoseconds / 1_000_000)
        }, jobs: jobs.figures, mail: { [mailer] in mailer?.figures }),
      access: adminAccess, tenants: { [tenants] in tenants.book.withLock { $0 } },
      jobs: { [jobs] in try await jobs.jobs.listing(limit: 100) })
  }

  private func open(_ name: Listener.Name, _ offer: ListenerPlan.Offer?) throws -> ListeningSockets {
    if let offer {
      return ListeningSockets(adopting: offer.descriptors, at: offer.address, loops: workers.count)
    }
    do {
      return try ListeningSockets(on: name.address, loops: workers.count)
    } catch {
      logger.error(
        "an address can't be listened on", .text("address", "\(name.address)"), .text("role", name.role))
      throw error
    }
  }

  /// Closes what nobody asked for. A predecessor's sockets go on with it until it has drained.
  private func discard(_ offers: [ListenerPlan.Offer]) {
    for offer in offers {
      if case .manager(let unit) = offer.origin {
        logger.warning(
          "a socket of the service manager is no configured listener", .text("address", "\(offer.address)"),
          .text("name", unit))
      }
      offer.descriptors.forEach(Socket.close)
    }
  }

  private func relieve(_ predecessor: Predecessor, _ plan: ListenerPlan) {
    let kept = plan.chosen.values.compactMap { offer -> Listener.Name? in
      if case .predecessor(let name) = offer.origin { name } else { nil }
    }
    do {
      try predecessor.relieve(keeping: kept)
      logger.info("took over from the running gateway", .integer("listeners", kept.count))
    } catch {
      logger.warning("the predecessor did not hear that this process serves", .text("reason", "\(error)"))
    }
  }

  /// Opens the door for a successor; nil where none is wanted or it can't be had.
  func openDoor() -> HandoverDoor? {
    guard let path = configuration.handover else { return nil }
    do {
      let slash = path.lastIndex(of: "/")
      // Not where others may write: one of them could take the path over and hand out sockets of his own.
      _ = try PrivateFolder(path: slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
      return try HandoverDoor(path: path)
    } catch {
      logger.warning("a successor can't take over", .text("path", path), .text("reason", "\(error)"))
      return nil
    }
  }
}
