import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The app's side of the platform: signs in, keeps the session, and puts it on the app's requests.
///
/// An app has one. It may be called from anywhere and at once: a session is renewed once for all who wait for it.
public actor SpeedAuthClient {
  /// What the client knows of the platform and of its app.
  public nonisolated let configuration: SpeedAuthConfiguration
  let platform: PlatformCalls
  private let storage: any SessionStorage
  /// Nil until it has been read from `storage`.
  private var known: SessionRecord?
  /// The renewal under way, if one is.
  private var renewal: Task<Result<Session, SpeedAuthError>, Never>?
  private var observers: [UUID: AsyncStream<SessionEvent>.Continuation] = [:]

  /// - Parameters:
  ///   - storage: what keeps the session between runs: `KeychainStorage` on Apple's systems, `FileStorage` elsewhere.
  ///   - transport: what carries the requests.
  public init(
    _ configuration: SpeedAuthConfiguration, storage: any SessionStorage,
    transport: any HTTPTransport = URLSessionTransport()
  ) {
    self.configuration = configuration
    self.storage = storage
    platform = PlatformCalls(configuration: configuration, transport: transport)
  }

  deinit { for observer in observers.values { observer.finish() } }

  // MARK: What is known

  /// The session; nil where nobody is signed in.
  public var session: Session? {
    get throws(SpeedAuthError) { try record().session }
  }

  /// How the user signed in last: where to take them when there is no session.
  public var method: SignInMethod? {
    get throws(SpeedAuthError) { try record().method }
  }

  /// What happens to the session from now on.
  public func events() -> AsyncStream<SessionEvent> {
    let (stream, observer) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(16))
    let id = UUID()
    observers[id] = observer
    observer.onTermination = { [weak self] _ in Task { await self?.forget(observer: id) } }
    return stream
  }

  private func forget(observer id: UUID) { observers[id] = nil }

  func record() throws(SpeedAuthError) -> SessionRecord {
    if let known { return known }
    do {
      let record = try storage.load() ?? SessionRecord()
      known = record
      return record
    } catch {
      throw .storage("\(type(of: error))")
    }
  }

  /// Changes the record, here and where it is kept, and tells it.
  func change(telling event: SessionEvent? = nil, _ body: (inout SessionRecord) -> Void) throws(SpeedAuthError) {
    var record = try record()
    let before = record
    body(&record)
    if record != before {
      known = record
      do {
        try storage.save(record)
      } catch {
        tell(.notStored("\(type(of: error))"))
      }
    }
    if let event { tell(event) }
  }

  private func tell(_ event: SessionEvent) {
    for observer in observers.values { observer.yield(event) }
  }

  // MARK: The session's life

  /// Begins a session, or goes on with another one.
  func begin(_ answer: SignInAnswer, by method: SignInMethod) throws(SpeedAuthError) -> SignIn {
    let session = answer.session(by: method)
    try change(telling: .signedIn(session)) { record in
      record.session = session
      record.method = method
      if method == .apple { record.pendingName = nil }
    }
    return try signIn(answer, session)
  }

  /// What an answer comes to, for the app.
  func signIn(_ answer: SignInAnswer, _ session: Session) throws(SpeedAuthError) -> SignIn {
    let hasDeclined = try record().declined.contains(session.user.id)
    return SignIn(
      session: session, isNewAccount: answer.isNewAccount, state: answer.state,
      offer: hasDeclined && answer.state.offer == .atEverySignIn ? .inSettings : answer.state.offer,
      previousUserID: answer.previousUserId)
  }

  /// Ends the session of a token, if it is still the one.
  func end(_ token: AccessToken, _ reason: SessionEnd) throws(SpeedAuthError) {
    let record = try record()
    guard record.session?.token == token else { return }
    try change(telling: .ended(reason, record.method)) { record in
      record.session = nil
      if reason == .deleted { record.method = nil }
    }
  }

  /// Calls the platform, or the app's own backend, with a token that is good as far as can be told. Where it is not, it
  /// is renewed once, or the session ends.
  ///
  /// - Parameter call: throws a refusal with `invalid_token` where the token was not good.
  func withSession<Answer: Sendable>(
    _ call: (Session) async throws(SpeedAuthError) -> Answer
  ) async throws(SpeedAuthError) -> Answer {
    var session = try await currentSession()
    do {
      return try await call(session)
    } catch {
      guard error.code == .invalidToken else { throw error }
      session = try await successor(of: session)
    }
    do {
      return try await call(session)
    } catch {
      guard error.code == .invalidToken else { throw error }
      try end(session.token, .expired)
      throw .sessionEnded(try record().method)
    }
  }

  /// The session, renewed where its token is about to end.
  func currentSession() async throws(SpeedAuthError) -> Session {
    let record = try record()
    guard let session = record.session else { throw .sessionEnded(record.method) }
    guard session.refreshToken != nil, session.expiresAt < Date(timeIntervalSinceNow: 30) else { return session }
    do {
      return try await renewed(session)
    } catch {
      // Not every failure is the end: the old token may be good for a little longer.
      if case .sessionEnded = error { throw error }
      return session
    }
  }

  /// What follows a session whose token was refused.
  private func successor(of refused: Session) async throws(SpeedAuthError) -> Session {
    let record = try record()
    guard let session = record.session else { throw .sessionEnded(record.method) }
    // Somebody else has renewed it, or signed in, while the request was under way.
    if session.token != refused.token { return session }
    guard session.refreshToken != nil else {
      try end(session.token, .expired)
      throw .sessionEnded(record.method)
    }
    return try await renewed(session)
  }

  /// The session with new tokens. However many ask at once, one request is made: a refresh token that is used twice ends
  /// the session.
  private func renewed(_ session: Session) async throws(SpeedAuthError) -> Session {
    if let renewal { return try await renewal.value.get() }
    // A task of its own, as the refresh token is used up even where the one who asked has lost interest.
    let task = Task { await renew(session) }
    renewal = task
    return try await task.value.get()
  }

  private func renew(_ session: Session) async -> Result<Session, SpeedAuthError> {
    defer { renewal = nil }
    do throws(SpeedAuthError) {
      let body = RefreshBody(refreshToken: session.refreshToken?.text ?? "")
      let answer: SignInAnswer = try await platform.send("POST", "refresh", body: body)
      guard let now = try record().session, now.token == session.token else {
        // Replaced meanwhile: by a sign-in, or by a link.
        guard let other = try record().session else { throw .sessionEnded(try record().method) }
        return .success(other)
      }
      let next = answer.session(by: session.method)
      try change(telling: .changed(next)) { $0.session = next }
      return .success(next)
    } catch {
      guard error.code == .invalidRefreshToken else { return .failure(error) }
      do throws(SpeedAuthError) {
        try end(session.token, .expired)
        return .failure(.sessionEnded(try record().method))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Waits until no renewal is under way, before the session is ended or replaced.
  func settle() async {
    if let renewal { _ = await renewal.value }
  }
}
