import GatewayBase
import GatewayHTTP
import GatewayIO
import GatewayTLS

/// Puts requests through the pipeline of a worker that serves nobody: what it decides is what a serving one would, and
/// nothing is sent, looked up or connected to.
///
/// The worker's loop never runs, so all of it is used on the caller's thread.
package final class RequestTrial {
  /// A request whose outcome is asked for.
  package struct Request {
    /// The whole head, as it would be received over HTTP/1.1.
    package let head: [UInt8]
    /// Who sent it.
    package let peer: SocketAddress
    /// Whether it came to a listener with TLS, and that one's port.
    package let isTLS: Bool
    package let port: UInt16

    package init(head: [UInt8], peer: SocketAddress, isTLS: Bool, port: UInt16) {
      self.head = head
      self.peer = peer
      self.isTLS = isTLS
      self.port = port
    }
  }

  private let worker: Worker

  /// - Parameter context: its rates are counted, as each request would be.
  /// - Throws: `SystemError` where the kernel gives no poller.
  package init(snapshot: RoutingSnapshot, context: WorkerContext) throws {
    let loop = try EventLoop()
    worker = Worker(
      loop: loop, context: context, mailbox: WorkerMailbox(loop: loop, index: 0), snapshot: snapshot)
  }

  /// Judges one request.
  ///
  /// - Parameter admission: who its token speaks for, in place of the authority's judgement; nil asks the authority.
  package func run(_ request: Request, as admission: Admission? = nil) -> TrialOutcome {
    let listener = Listener(descriptor: -1, port: request.port, purpose: .hosts, isTLS: request.isTLS)
    let client = worker.clients.insert(
      ClientConnection(
        wire: Wire(descriptor: -1), peer: request.peer, listener: listener,
        isTrusted: worker.context.trusted.contain(request.peer.host)))
    let exchange = worker.exchanges.insert(
      Exchange(
        client: client, address: request.peer.host, headCount: request.head.count, startedAt: 0,
        id: worker.ids.value.requestID()))
    defer {
      worker.exchanges.remove(exchange)
      worker.clients.remove(client)
    }
    var out = worker.blocks.take()
    let verdict = judge(exchange, request.head, admission, &out)
    let outcome = outcome(of: exchange, verdict)
    worker.blocks.give(out)
    return outcome
  }

  private func judge(
    _ exchange: Handle, _ head: [UInt8], _ admission: Admission?, _ out: inout ByteBlock
  ) -> TrialOutcome.Verdict {
    let authority = worker.context.tokens
    let now = worker.loop.clock.unix
    var presumed: RememberedToken?
    if let admission, let assertion = authority.assertion(for: admission, now: now) {
      presumed = RememberedToken(admission, assertion, checkedVersion: authority.revocationVersion)
    }
    var verdict = worker.decide(exchange, head.span, presumed, &out)
    if case .verify(let token, _) = verdict {
      let version = authority.revocationVersion
      guard let admission = authority.admit(token, now: now),
        let assertion = authority.assertion(for: admission, now: now)
      else { return .refused(.invalidToken) }
      verdict = worker.decide(exchange, head.span, RememberedToken(admission, assertion, judgedAt: version), &out)
    }
    switch verdict {
    case .refuse(let refusal): return .refused(refusal)
    case .verify, .renew: return .refused(.invalidToken)
    case .serve: return .served
    case .answerOptions: return .answered(ServiceResponse(204))
    case .answerPreflight(let response): return .answered(response)
    case .forward: return .forwarded(head: String(copying: out.bytes))
    }
  }

  /// The paths of all routes that take a path, the one that decides first.
  private static func matching(_ routes: RouteTable, _ target: borrowing TargetBuffer) -> [String] {
    var paths: [String] = []
    for route in routes.routes where route.matches(target.path) {
      paths.append(String(decoding: route.path, as: UTF8.self))
    }
    return paths
  }

  private static func text(_ target: borrowing TargetBuffer) -> String { String(copying: target.path) }

  private func outcome(of exchange: Handle, _ verdict: TrialOutcome.Verdict) -> TrialOutcome {
    let tenant = worker.exchanges[exchange].tenant
    let index = worker.exchanges[exchange].route
    let decision = worker.exchanges[exchange].cors
    let isCounted = worker.exchanges[exchange].limit != nil
    return TrialOutcome(
      verdict: verdict, address: worker.exchanges[exchange].address, app: tenant?.appID,
      route: tenant.flatMap { $0.routes.routes.indices.contains(index) ? $0.routes.routes[index] : nil },
      matching: tenant.map { Self.matching($0.routes, worker.target.value) } ?? [],
      path: Self.text(worker.target.value),
      corsFields: tenant?.cors.map { String(decoding: $0.fields(decision), as: UTF8.self) },
      allowsOrigin: decision.isGranted, standing: isCounted ? worker.exchanges[exchange].standing : nil,
      isAdmitted: worker.exchanges[exchange].token != nil)
  }
}

extension CORSDecision {
  fileprivate var isGranted: Bool { if case .granted = self { true } else { false } }
}

/// What the pipeline decided of a request, and by which of the app's rules.
package struct TrialOutcome {
  package enum Verdict {
    case refused(Refusal)
    /// One of the gateway's own hosts answers.
    case served
    /// The gateway answers it in the app's place: a preflight, or `OPTIONS *`.
    case answered(ServiceResponse)
    /// A backend gets it with this head.
    case forwarded(head: String)
  }

  package let verdict: Verdict
  /// Where the request came from, as limits and the backend see it.
  package let address: IPAddress
  /// Nil where no app has the host.
  package let app: Int64?
  /// Nil where no route takes the path.
  package let route: Route?
  /// The paths of all routes that take the request's path, the one that decides first.
  package let matching: [String]
  /// The canonical path, without the query.
  package let path: String
  /// What answers say of the origin, as lines; nil where the app has no policy.
  package let corsFields: String?
  /// Whether pages of the request's origin may read the answer.
  package let allowsOrigin: Bool
  /// How the caller stands against the route's limit after this request; nil where it was not counted.
  package let standing: RateStanding?
  /// Whether a good token came with it, and the route asked for one.
  package let isAdmitted: Bool
}
