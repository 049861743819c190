import Foundation
import Testing

@testable import SpeedAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SpeedAuth: the life of a session", .timeLimit(.minutes(1))) struct SessionTests {
  /// A platform whose first token is over and whose refresh tokens are good once.
  private static func rotating(_ tally: Tally) -> @Sendable (URLRequest) async throws -> StubTransport.Answer {
    { request in
      await tally.count(request.call)
      switch request.call {
      case "apple-native": return StubTransport.signIn("t0", refresh: "r0")
      case "refresh":
        // Long enough for everybody else to come.
        try await Task.sleep(for: .milliseconds(50))
        let uses = await tally.count("use of \(request.member("refreshToken") ?? "")")
        return uses == 1
          ? StubTransport.signIn("t1", refresh: "r1") : StubTransport.refusal(401, "invalid_refresh_token")
      default: return request.bearer == "t1" ? (200, [:], "fine") : StubTransport.refusal(401, "invalid_token")
      }
    }
  }

  private let page = URLRequest(url: URL(string: "https://notes.example/list") ?? URL(filePath: "/"))

  @Test("however many requests find the token over at once, it is renewed once and all succeed")
  func oneRenewal() async throws {
    let tally = Tally()
    let client = try stubClient(Self.rotating(tally))
    _ = try await client.signIn(.stub())
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.data(for: page).1.statusCode } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(await tally.of("refresh") == 1)
    #expect(try await client.session?.refreshToken?.text == "r1")
  }

  @Test("a cancelled request does not take the renewal with it that others wait for")
  func cancelled() async throws {
    let tally = Tally()
    let client = try stubClient(Self.rotating(tally))
    _ = try await client.signIn(.stub())
    let impatient = Task { try await client.data(for: page) }
    while await tally.of("refresh") == 0 { await Task.yield() }
    impatient.cancel()
    #expect(try await client.data(for: page).1.statusCode == 200)
    #expect(await tally.of("refresh") == 1)
  }

  @Test("a token that is about to end is renewed before it is sent; where that fails, it is sent all the same")
  func ahead() async throws {
    let tally = Tally()
    let client = try stubClient { request in
      switch request.call {
      case "apple-native": return StubTransport.signIn("t0", refresh: "r0", expires: "2020-01-01T00:00:00Z")
      case "refresh":
        if await tally.count("refresh") == 1 { throw URLError(.notConnectedToInternet) }
        return StubTransport.signIn("t1", refresh: "r1")
      default: return (200, [:], request.bearer ?? "")
      }
    }
    _ = try await client.signIn(.stub())
    #expect(try await client.data(for: page).0 == Data("t0".utf8))
    #expect(try await client.data(for: page).0 == Data("t1".utf8))
  }

  @Test("a 401 of the platform ends a session that can't be renewed, once, and tells by which way to come back")
  func ends() async throws {
    let client = try stubClient { request in
      request.call == "apple-native" ? StubTransport.signIn("t0") : StubTransport.refusal(401, "invalid_token")
    }
    var events = await client.events().makeAsyncIterator()
    _ = try await client.signIn(.stub())
    for _ in 0..<2 {
      await #expect(throws: SpeedAuthError.sessionEnded(.apple)) { try await client.data(for: page) }
    }
    #expect(try await client.session == nil)
    guard case .signedIn = await events.next() else {
      Issue.record("no sign-in")
      return
    }
    #expect(await events.next() == .ended(.expired, .apple))
    _ = try await client.signIn(.stub())
    guard case .signedIn = await events.next() else {
      Issue.record("the end is told twice")
      return
    }
  }

  @Test("a 401 of the backend's own is an answer, and the session stays")
  func backends() async throws {
    let client = try stubClient { request in
      request.call == "apple-native" ? StubTransport.signIn("t0") : (401, ["WWW-Authenticate": "Bearer"], "mine")
    }
    _ = try await client.signIn(.stub())
    #expect(try await client.data(for: page).1.statusCode == 401)
    #expect(try await client.session != nil)
  }

  @Test("a session that another sign-in has replaced is not ended by the answer to an old request")
  func stale() async throws {
    let tally = Tally()
    let client = try stubClient { request in
      switch request.call {
      case "apple-native": return StubTransport.signIn("t\(await tally.count("sign-in"))")
      default:
        if request.bearer == "t2" { return (200, [:], "fine") }
        await tally.count("old")
        while await tally.of("replaced") == 0 { await Task.yield() }
        return StubTransport.refusal(401, "invalid_token")
      }
    }
    _ = try await client.signIn(.stub())
    async let old = client.data(for: page)
    while await tally.of("old") == 0 { await Task.yield() }
    _ = try await client.signIn(.stub())
    await tally.count("replaced")
    #expect(try await old.1.statusCode == 200)
    #expect(try await client.session?.token.text == "t2")
  }

  @Test("no other host gets the token, nor a request that asks for it")
  func foreign() async throws {
    let tally = Tally()
    let client = try stubClient { request in
      await tally.count(request.url?.host() ?? "")
      return StubTransport.signIn("t0")
    }
    _ = try await client.signIn(.stub())
    for text in ["https://evil.example/", "http://notes.example/", "https://api.speed.so/"] {
      let url = try #require(URL(string: text))
      await #expect(throws: SpeedAuthError.foreignOrigin) { try await client.authorized(URLRequest(url: url)) }
      await #expect(throws: SpeedAuthError.foreignOrigin) { try await client.data(for: URLRequest(url: url)) }
      await #expect(throws: SpeedAuthError.foreignOrigin) { try await client.webSocketRequest(url) }
      await #expect(throws: SpeedAuthError.foreignOrigin) { try await client.ticket(for: url) }
    }
    #expect(await tally.of("evil.example") == 0)
    let own = try await client.authorized(page)
    #expect(own.bearer == "t0" && own.value(forHTTPHeaderField: "X-Speed-Request-From") == "app")
    let socket = try await client.webSocketRequest(try #require(URL(string: "wss://notes.example/live")))
    #expect(socket.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "speed, speed.bearer.t0")
  }

  @Test("who sends authorized requests alone gets the next token for one that was refused")
  func refused() async throws {
    let client = try stubClient(Self.rotating(Tally()))
    _ = try await client.signIn(.stub())
    let first = try await client.authorized(page)
    #expect(try await client.refused(first).bearer == "t1")
    // Told twice, it is the same token, and no renewal.
    #expect(try await client.refused(first).bearer == "t1")
  }

  @Test("signing out ends the session here at once, also without the platform, and a renewal under way with it")
  func signOut() async throws {
    let tally = Tally()
    let rotating = Self.rotating(tally)
    let client = try stubClient { request in
      if request.call == "sign-out" { throw URLError(.notConnectedToInternet) }
      return try await rotating(request)
    }
    _ = try await client.signIn(.stub())
    async let request = client.data(for: page)
    while await tally.of("refresh") == 0 { await Task.yield() }
    await #expect(throws: SpeedAuthError.unreachable("error -1009 of URLSession")) { try await client.signOut() }
    _ = try? await request
    #expect(try await client.session == nil)
    #expect(try await client.method == .apple)
  }

  @Test("a name that Apple told once is sent until a sign-in succeeds, for that user alone")
  func names() async throws {
    let (storage, names) = (MemoryStorage(), Kept<String?>())
    let offline = try stubClient(storage: storage) { _ in throw URLError(.notConnectedToInternet) }
    await #expect(throws: SpeedAuthError.self) { try await offline.signIn(.stub(user: "a", name: "Ada")) }
    let client = try stubClient(storage: storage) { request in
      await names.add(request.member("fullName"))
      return StubTransport.signIn("t0")
    }
    _ = try await client.signIn(.stub(user: "a"))
    _ = try await client.signIn(.stub(user: "a"))
    #expect(await names.all == ["Ada", nil])
    await #expect(throws: SpeedAuthError.self) { try await offline.signIn(.stub(user: "b", name: "Bob")) }
    let other = try stubClient(storage: storage) { request in
      await names.add(request.member("fullName"))
      return StubTransport.signIn("t0")
    }
    _ = try await other.signIn(.stub(user: "c"))
    #expect(await names.all.last == .some(nil))
  }

  @Test("refusals keep codes of later versions, the request's id and the wait; what is no refusal says so")
  func refusals() async throws {
    let answers: [StubTransport.Answer] = [
      StubTransport.refusal(503, "provider_unavailable", ["Retry-After": "7"]), StubTransport.refusal(418, "brand_new"),
      (502, [:], "<html>"), (200, [:], "<html>"), (302, ["Location": "https://evil.example/"], ""),
    ]
    let tally = Tally()
    let client = try stubClient { _ in answers[await tally.count("call") - 1] }
    func failure() async -> SpeedAuthError? {
      do throws(SpeedAuthError) {
        _ = try await client.signIn(.stub())
        return nil
      } catch {
        return error
      }
    }
    let unavailable = await failure()
    #expect(unavailable?.code == .providerUnavailable && unavailable?.retryAfter == .seconds(7))
    #expect(unavailable?.description.contains("r1") == true)
    #expect(await failure()?.code == "brand_new")
    for status in [502, 200, 302] { #expect(await failure() == .unexpectedAnswer(status: status)) }
  }
}
