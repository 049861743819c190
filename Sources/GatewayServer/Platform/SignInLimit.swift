import GatewayBase
import GatewayProxy

/// `limits.signIns`: attempts of one address, good or bad, on all endpoints that sign in, of all apps together.
struct SignInLimit: Sendable {
  private let rule: RateRule
  private let rates: RateLimiter

  init(_ rule: RateRule, _ rates: RateLimiter) {
    self.rule = rule
    self.rates = rates
  }

  /// Counts an attempt; the answer where its address has had its share.
  ///
  /// - Parameter form: writes the refusal.
  func refusal(
    of request: ServiceRequest,
    as form: (Refusal, _ requestID: String) -> ServiceResponse = { .refusal($0, requestID: $1) }
  ) -> ServiceResponse? {
    let caller = RateCaller("sign-in", AddressBlock(request.address))
    let standing = rates.count(caller, by: rule, now: MonotonicClock.nanoseconds)
    guard !standing.passes else { return nil }
    var response = form(.rateLimited(retryAfter: Int(clamping: standing.reset)), request.requestID)
    response.fields += rule.fields(standing)
    return response
  }
}
