import GatewayBase
import GatewayConfig

/// Which app a sign-in is for: `appId`, `domain`, or both where they agree.
enum SignInTarget {
  /// - Throws: `invalid_request` for a body that names none or two; `Target not found` for an app that is not loaded.
  static func app(named body: JSONValue, in directory: AppDirectory) throws(Refusal) -> AppDirectory.App {
    let id = try appID(body["appId"])
    let domain = try domain(body["domain"])
    if id == nil && domain == nil { throw .invalidRequest("Send appId or domain.") }
    let byID = id.map { directory.apps[$0] }
    let byDomain = domain.map { name in name.flatMap { directory.app(at: $0) } }
    switch (byID, byDomain) {
    case (.some(let byID), .some(let byDomain)):
      guard let byID, let byDomain else { throw .targetNotFound }
      guard byID.configuration.appID == byDomain.configuration.appID else {
        throw .invalidRequest("appId and domain are of two apps.")
      }
      return byID
    case (.some(let app?), nil), (nil, .some(let app?)): return app
    default: throw .targetNotFound
    }
  }

  /// An integer, or a string of digits; nil where there is none.
  private static func appID(_ value: JSONValue?) throws(Refusal) -> Int64? {
    switch value {
    case nil, .null: return nil
    case .integer(let id): return id
    case .string(let digits) where !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }:
      // Too large for any app: as well-formed as an app that is not there.
      return Int64(digits) ?? -1
    default: throw .invalidRequest("appId is an integer.")
    }
  }

  /// A host in any of its forms; the inner nil is a text that is none, so no app can have it.
  private static func domain(_ value: JSONValue?) throws(Refusal) -> HostName?? {
    switch value {
    case nil, .null: return nil
    case .string(let text): return .some(HostName(international: text))
    default: throw .invalidRequest("domain is a string.")
    }
  }
}
