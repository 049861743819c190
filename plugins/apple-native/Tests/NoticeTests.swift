import AppleNative
import Foundation
import PluginTesting
import ProviderKit
import Testing

@Suite("What Apple tells from server to server") struct NoticeTests {
  private static let now = SignInCase.now
  private let services = FakeServices(now: SignInCase.now)

  private var provider: any Provider {
    unsafe Unmanaged<ProviderEntry>.fromOpaque(speedProviderEntry()).takeRetainedValue().provider
  }

  private static var event: [String: Any] {
    ["type": "consent-revoked", "sub": "000001.a.0001", "event_time": now - 5000]
  }

  private func claims(_ changes: [String: Any] = [:], events: Any? = nil) -> [String: Any] {
    let usual: [String: Any] = [
      "iss": "https://appleid.apple.com", "aud": "com.example.alpha", "iat": SignInCase.nowSeconds,
      "exp": SignInCase.nowSeconds + 86_400, "jti": "j1", "events": events ?? text(Self.event),
    ]
    return usual.merging(changes) { $1 }
  }

  private func text(_ value: Any) -> String {
    let written = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    return String(decoding: written ?? Data(), as: UTF8.self)
  }

  private func read(
    _ claims: [String: Any], header: [String: Any] = ["alg": "RS256", "kid": "key-2"], key: String = "secret-2",
    asForm: Bool = false
  ) async -> Result<ProviderNotice, ProviderFailure> {
    let token = FakeServices.token(header: header, claims: claims, key: key)
    return await read(body: asForm ? "payload=\(token)&x=1" : "{\"payload\":\"\(token)\"}")
  }

  private func read(body: String) async -> Result<ProviderNotice, ProviderFailure> {
    let request = NoticeRequest(app: SignInCase().app, body: Array(body.utf8), requestID: "r")
    do throws(ProviderFailure) {
      return .success(try await provider.readNotice(request, using: services))
    } catch {
      return .failure(error)
    }
  }

  private func events(_ result: Result<ProviderNotice, ProviderFailure>) -> [ProviderEvent]? {
    try? result.get().events
  }

  private func outcome(_ result: Result<ProviderNotice, ProviderFailure>) -> String {
    switch result {
    case .success: "accepted"
    case .failure(let failure): "\(failure.status) \(failure.code) (\(failure.reason))"
    }
  }

  @Test("B98 events are a string, an object or an array, and the body JSON or a form")
  func forms() async {
    let expected = [
      ProviderEvent(
        .consentWithdrawn, issuer: "apple", team: "ABCDE12345", subject: "000001.a.0001", time: Self.now - 5000)
    ]
    for form in [text(Self.event), Self.event, [Self.event], text([Self.event])] as [Any] {
      #expect(events(await read(claims(events: form))) == expected)
      #expect(events(await read(claims(events: form), asForm: true)) == expected)
    }
  }

  @Test("B99 both spellings of a deletion count, and the audience is a client id, never the team")
  func spellings() async {
    for (type, kind) in [
      ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted), ("email-disabled", .emailDisabled),
      ("email-enabled", .emailEnabled), ("consent-revoked", .consentWithdrawn),
    ] as [(String, ProviderEvent.Kind)] {
      #expect(events(await read(claims(events: ["type": type, "sub": "s", "event_time": 1])))?.map(\.kind) == [kind])
    }
    #expect(events(await read(claims(["aud": "com.example.alpha.web"])))?.count == 1)
    #expect(outcome(await read(claims(["aud": "ABCDE12345"]))) == "401 invalid_notification (audience)")
  }

  @Test("B101 what is malformed or unsigned is 400, what is signed and unknown is accepted without an event")
  func malformed() async {
    for body in [
      "", "{}", "{\"payload\":1}", "{\"payload\":\"x.y.z\"}", "{\"payload\":\"\"}", "[]", "payload=", "a=b",
      "payload=x.y.z",
    ] {
      #expect(outcome(await read(body: body)).hasPrefix("400 invalid_request"), "\(body)")
    }
    for unknown in [["type": "news", "sub": "s"], ["sub": "s"], ["type": "consent-revoked"], 5, "x", [], NSNull()]
      as [Any]
    {
      #expect(events(await read(claims(events: unknown))) == [])
    }
    #expect(events(await read(claims(["events": Absent()]))) == [])
  }

  @Test("B19 a bad signature, issuer, audience or time is 401")
  func refused() async {
    for (result, reason) in [
      (await read(claims(), key: "secret-1"), "signature"),
      (await read(claims(), header: ["alg": "RS256", "kid": "x"]), "unknown key"),
      (await read(claims(), header: ["alg": "HS256", "kid": "key-2"]), "algorithm"),
      (await read(claims(["iss": "https://x.example"])), "issuer"),
      (await read(claims(["iss": Absent()])), "issuer"), (await read(claims(["aud": "com.other.app"])), "audience"),
      (await read(claims(["aud": ["com.example.alpha", "com.other.app"]])), "audience"),
      (await read(claims(["aud": Absent()])), "audience"),
      (await read(claims(["exp": SignInCase.nowSeconds - 120])), "expired"),
    ] { #expect(outcome(result) == "401 invalid_notification (\(reason))") }
    await services.goDown()
    #expect(outcome(await read(claims())) == "503 provider_unavailable (no key set)")
  }

  @Test("B102 repeats have one key, others another; without a jti the token itself is the name")
  func keys() async throws {
    let first = try await read(claims()).get().replayKey
    #expect(try await read(claims(["iat": 1])).get().replayKey.digest == first.digest)
    #expect(try await read(claims(["jti": "j2"])).get().replayKey.digest != first.digest)
    let bare = try await read(claims(["jti": Absent()])).get().replayKey
    #expect(try await read(claims(["jti": Absent()])).get().replayKey == bare && bare.digest != first.digest)
  }

  @Test("a time is read as Apple writes it or as a string, and stands for the token's own where it is missing")
  func times() async {
    for (time, expected) in [
      (1000, 1000), ("1000", 1000), (1000.9, 1000), (Absent(), SignInCase.nowSeconds * 1000),
      ([], SignInCase.nowSeconds * 1000),
      (1e300, SignInCase.nowSeconds * 1000),
    ] as [(Any, Int64)] {
      let event = ["type": "email-enabled", "sub": "s", "event_time": time].filter { !($0.value is Absent) }
      #expect(events(await read(claims(events: event)))?.map(\.time) == [expected])
    }
  }
}
