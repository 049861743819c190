import GatewayBase
import GatewayIO

/// The rate limit of a route.
package final class RouteLimit: Sendable {
  package enum Subject: Sendable, Hashable {
    /// The user of the token; the address on routes without one.
    case user
    /// All requests of the app to this route.
    case app
    /// See `AddressBlock`.
    case address
  }

  package let rule: RateRule
  package let subject: Subject
  /// What a reload must leave as it is for the count to go on.
  private let identity: Int
  private let policyField: [UInt8]

  /// - Parameter path: of the route.
  package init(app: Int64, path: String, rule: RateRule, subject: Subject) {
    self.rule = rule
    self.subject = subject
    var hasher = Hasher()
    hasher.combine(app)
    hasher.combine(path)
    hasher.combine(rule)
    hasher.combine(subject)
    identity = hasher.finalize()
    policyField = Array("RateLimit-Policy: \(rule.policy)\r\n".utf8)
  }

  /// - Parameter user: of the token, where the route needs one.
  func caller(user: RememberedToken?, address: IPAddress) -> RateCaller {
    switch subject {
    case .app: return RateCaller(identity, 0)
    case .user: if let user { return RateCaller(identity, user.userHash) }
    case .address: break
    }
    return RateCaller(identity, AddressBlock(address))
  }

  /// Appends what the caller is told (draft-ietf-httpapi-ratelimit-headers).
  func write(_ standing: RateStanding, to block: inout ByteBlock) {
    block.append(policyField)
    block.append("RateLimit: \"default\";r=")
    block.append(decimal: standing.remaining)
    block.append(";t=")
    block.append(decimal: standing.reset)
    block.append("\r\n")
  }
}

extension RateRule {
  fileprivate var policy: String { "\"default\";q=\(requests);w=\(seconds)" }

  /// What the caller is told, for an answer that is no backend's.
  package func fields(_ standing: RateStanding) -> [ServiceField] {
    [
      ServiceField("RateLimit-Policy", policy),
      ServiceField("RateLimit", "\"default\";r=\(standing.remaining);t=\(standing.reset)"),
    ]
  }
}
