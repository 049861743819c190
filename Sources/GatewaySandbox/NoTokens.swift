import GatewayBase
import GatewayProxy

/// The sandbox has no app routes, and so no bearer token is good there.
struct NoTokens: TokenAuthority {
  func admit(_ token: [UInt8], now: UnixTime) -> Admission? { nil }

  func assertion(for admission: Admission, now: UnixTime) -> BackendAssertion? { nil }

  var revocationVersion: UInt64 { 0 }

  func standing(of admission: Admission) -> TokenStanding { .ended }
}
