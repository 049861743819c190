import GatewayBase
import GatewayProxy
import ProviderKit

/// What a browser keeps for a provider: a cookie that other sites' forms and the answers of other providers do not bring
/// along or change.
enum ProviderCookie {
  private static func name(_ provider: String) -> String { "__Host-speed-\(provider)" }

  static func value(of provider: String, in request: ServiceRequest) -> String? {
    request.cookies(named: name(provider)).first(where: isValue)
  }

  /// What an answer sets; nil where nothing changes.
  ///
  /// - Throws: `PageFault` for a value that is none.
  static func field(_ session: PageAnswer.Session, of provider: String) throws(PageFault) -> ServiceField? {
    switch session {
    case .unchanged: return nil
    case .keep(let value, let seconds):
      guard isValue(value) else { throw PageFault("what the browser is to keep has other signs, or too many") }
      return HostCookie.field(name(provider), value, seconds: seconds.map(Int64.init), sameSite: .lax)
    case .forget: return HostCookie.field(name(provider), "", seconds: 0, sameSite: .lax)
    }
  }

  private static func isValue(_ text: String) -> Bool {
    (1...Limits.browserText).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }
}

/// A provider's answer to a browser that is none: its bug, told to the log alone.
struct PageFault: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }
}
