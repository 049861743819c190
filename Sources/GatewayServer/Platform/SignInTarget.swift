import GatewayBase
import GatewayConfig

/// Which app a sign-in is for: `appId`, `domain`, or both where they agree.
enum SignInTarget {
  /// - Throws: `invalid_request` for a body that names none, or where the two disagree; `Target not found` for an app that is not loaded.
  static func app(named body: JSONValue, in directory: AppDirectory) throws(Refusal) -> AppDirectory.App {
    let id = try appID(body["appId"])
    let domain = try domain(body["domain"])
    if id == nil && domain == nil { throw .invalidRequest("Send appId or domain.") }
    let byID = id.flatMap { directory.apps[$0] }
    let byDomain = domain.flatMap { name in name.flatMap { directory.app(at: $0) } }
    guard let app = byID ?? byDomain else { throw .targetNotFound }
    // An app that one of them names and the other does not: they disagree, also where the other names none at all.
    if id != nil, domain != nil, byID?.configuration.appID != byDomain?.configuration.appID {
      throw .invalidRequest("appId and domain are not of one app.")
    }
    return app
  }

  /// Stands for numbers too large for any app: as well-formed as an app that is not there.
  private static let noApp: Int64 = -1
  /// From here on no integer fits into 64 bits.
  private static let tooLarge = 0x1p63

  /// An integer, or a string of digits; nil where there is none.
  private static func appID(_ value: JSONValue?) throws(Refusal) -> Int64? {
    switch value {
    case nil, .null: return nil
    case .integer(let id): return id
    case .string(let digits) where !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }:
      return Int64(digits) ?? noApp
    case .real(let number) where abs(number) >= tooLarge: return noApp
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
