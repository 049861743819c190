import GatewayBase
import GatewayCrypto
import GatewayIO
import GatewayOutbound
import GatewayProxy

/// A stand-in for Apple: serves a key set, mints identity tokens, codes and notifications, exchanges and revokes, and
/// fails on demand.
///
/// Anyone who reaches it gets a token of any content: it belongs on loopback, and its keys live with the process.
package final class SandboxService: Service {
  struct State: Sendable {
    var keys: KeyRing
    var failure = KeySetFailure.ok
    var keyFetches: Int64 = 0
    var ledger = AppleLedger()
    var failures: [ServiceDoor: ServiceFailure] = [:]
    /// Users whom the migration door refuses.
    var stuckSubjects: Set<String> = []
    var counts: [ServiceDoor: Int64] = [:]
    /// Calls of the token services, oldest first.
    var calls: [JSONValue] = []
    var developerKeys: [String: VerifyingKey] = [:]
  }

  let issuer: String?
  let pool: BlockingPool
  private let logger: Logger
  let clock: any WallClock
  let slowness: Duration
  let state: Locked<State>
  let sender = OutboundClient(threads: 2)

  /// How late a slow key set comes unless a test says otherwise: the gateway has given up by then.
  package static let usualSlowness = Duration.milliseconds(Limits.outboundTimeout + 1000)

  /// Makes the keys, which takes tenths of a second.
  ///
  /// - Parameters:
  ///   - issuer: the `iss` of tokens; nil is `http://` and the host that a token is asked for at.
  ///   - pool: makes keys and signs.
  ///   - slowness: how late a slow key set comes.
  /// - Throws: `CryptoError`, or `BlockingPool.Failure` where the pool is full.
  package static func make(
    issuer: String? = nil, pool: BlockingPool, logger: Logger, clock: any WallClock = SystemClock(),
    slowness: Duration = usualSlowness
  ) async throws -> SandboxService {
    let keys = try await withThrowingTaskGroup(of: RSASigningKey.self) { group in
      for _ in 0...KeyRing.size { group.addTask { try await newKey(pool) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let ring = KeyRing(keys: Array(keys.dropFirst()), foreign: keys[0])
    return SandboxService(
      keys: ring, issuer: issuer, pool: pool, logger: logger, clock: clock, slowness: slowness)
  }

  private init(
    keys: KeyRing, issuer: String?, pool: BlockingPool, logger: Logger, clock: any WallClock, slowness: Duration
  ) {
    self.issuer = issuer
    self.pool = pool
    self.logger = logger
    self.clock = clock
    self.slowness = slowness
    state = Locked(State(keys: keys))
  }

  private static func newKey(_ pool: BlockingPool) async throws -> RSASigningKey {
    try await pool.run { try RSASigningKey.generate(kid: RandomText.keyID()) }
  }

  package func respond(to request: ServiceRequest) async -> ServiceResponse {
    do {
      return try await answer(request)
    } catch let refusal as Refusal {
      return .refusal(refusal, requestID: request.requestID)
    } catch is BlockingPool.Failure, is CancellationError {
      return .refusal(.overloaded, requestID: request.requestID)
    } catch {
      logger.error(
        "the sandbox failed", .text("requestId", request.requestID), .text("reason", "\(error)"))
      return .refusal(.internalError, requestID: request.requestID)
    }
  }

  private func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let door = Door(rawValue: request.path) else { throw Refusal.noRoute }
    guard door.takes(request.method) else { throw Refusal.methodNotAllowed(door.allow) }
    switch door {
    case .keys: return try await keySet()
    case .identityToken: return Self.json(try await tokens(request))
    case .currentKeys: return .json(200, state.withLock { $0.keys.published })
    case .rotation: return Self.json(try await rotate(request))
    case .failures: return Self.json(try setFailure(request))
    case .counters: return Self.json(counters)
    case .authorize: return try await authorize(request)
    case .token: return try await service(.token, request)
    case .revoke: return try await service(.revoke, request)
    case .migration: return try await service(.migration, request)
    case .developerKey: return Self.json(try makeDeveloperKey(request))
    case .notification: return Self.json(try await notify(request))
    case .withdrawal: return Self.json(try withdraw(request))
    case .transferID: return Self.json(try transferID(request))
    case .calls: return Self.json(.object(["calls": .array(state.withLock { $0.calls })]))
    case .grants: return Self.json(.object(["grants": state.withLock { $0.ledger.summary }]))
    case .reset: return Self.json(try reset(request))
    }
  }

  private var counters: JSONValue {
    state.withLock { state in
      var counts = ["keys": JSONValue.integer(state.keyFetches)]
      for door in ServiceDoor.allCases { counts[door.rawValue] = .integer(state.counts[door] ?? 0) }
      return .object(counts)
    }
  }

  static func json(_ value: JSONValue) -> ServiceResponse { .json(200, value.jsonText) }

  private func keySet() async throws -> ServiceResponse {
    let failure = state.withLock { state in
      state.keyFetches += 1
      return state.failure
    }
    if failure == .slow { try await Task.sleep(for: slowness) }
    return failure.answer(state.withLock { $0.keys.published })
  }

  private func rotate(_ request: ServiceRequest) async throws -> JSONValue {
    _ = try RequestMembers(request.body, known: [])
    let key = try await Self.newKey(pool)
    return state.withLock { state in
      state.keys.rotate(to: key)
      return state.keys.summary
    }
  }

  /// Switches those that the body names, and answers how all of them stand.
  private func setFailure(_ request: ServiceRequest) throws(Refusal) -> JSONValue {
    let doors = ServiceDoor.allCases
    let names = ["keys"] + doors.map(\.rawValue)
    let members = try RequestMembers(request.body, known: names + ["stuckSubjects"])
    let keys = try members.choice("keys", as: KeySetFailure.self)
    var failures: [ServiceDoor: ServiceFailure] = [:]
    for door in doors { failures[door] = try members.choice(door.rawValue, as: ServiceFailure.self) }
    let stuck = try members.strings("stuckSubjects")
    guard keys != nil || !failures.isEmpty || stuck != nil else {
      throw .invalidRequest("Send one of: \(names.joined(separator: ", ")), stuckSubjects.")
    }
    let stand = failures
    return state.withLock { state in
      if let keys { state.failure = keys }
      state.failures.merge(stand) { $1 }
      if let stuck { state.stuckSubjects = Set(stuck) }
      var answer = ["keys": JSONValue.string(state.failure.rawValue)]
      for door in doors { answer[door.rawValue] = .string((state.failures[door] ?? .ok).rawValue) }
      return .object(answer)
    }
  }

  private func reset(_ request: ServiceRequest) throws(Refusal) -> JSONValue {
    _ = try RequestMembers(request.body, known: [])
    return state.withLock { state in
      state.failure = .ok
      state.keyFetches = 0
      state.failures = [:]
      state.stuckSubjects = []
      state.counts = [:]
      state.calls = []
      return state.keys.summary
    }
  }
}

// Tokens.
extension SandboxService {
  /// Tokens that one job of the pool makes: few enough that other requests get their turn.
  private static var share: Int { 64 }

  private func tokens(_ request: ServiceRequest) async throws -> JSONValue {
    let wish = try IdentityTokenRequest(parsing: request.body, now: clock.now)
    let mint = IdentityTokenMint(
      wish, issuer: issuer ?? Self.issuer(of: request), keys: state.withLock { $0.keys })
    guard let count = wish.count else { return keep(try await pool.run { [try mint.mint()] })[0] }
    let pool = pool
    return try await withThrowingTaskGroup(of: [IdentityTokenMint.Minted].self) { group in
      for start in stride(from: 0, to: count, by: Self.share) {
        let share = min(Self.share, count - start)
        group.addTask { try await pool.run { try (0..<share).map { _ in try mint.mint() } } }
      }
      let tokens = try await group.reduce(into: []) { $0 += $1 }
      return .object(["tokens": .array(keep(tokens))])
    }
  }

  /// Remembers the codes of tokens that are given out.
  func keep(_ minted: [IdentityTokenMint.Minted]) -> [JSONValue] {
    let codes = minted.compactMap(\.code)
    if !codes.isEmpty { state.withLock { state in for code in codes { state.ledger.add(code) } } }
    return minted.map(\.json)
  }

  /// The address that the request was sent to, port included.
  static func issuer(of request: ServiceRequest) -> String {
    "http://\((request.values(of: "Host").first ?? request.host).lowercased())"
  }
}
