import GatewayBase
import GatewayIO

/// The origins whose pages may call an app, compiled once into the bytes that their answers carry (Fetch standard,
/// section 3.3).
///
/// Origins are compared byte by byte with the canonical form, which is what browsers send: a comparison of parts or
/// suffixes lets `https://evilgood.com` pass for `good.com`. `null` is the origin of every sandboxed frame and file,
/// so it is nobody's.
package final class CORSPolicy: Sendable {
  package enum Origins: Sendable, Equatable {
    case any
    /// As browsers send them: scheme, host, and the port where it is not the scheme's own.
    case listed([String])
  }

  private let origins: [[UInt8]]
  private let allowsAny: Bool
  /// For each origin the fields of an answer to it; one entry where any is allowed.
  private let grants: [[UInt8]]

  /// - Parameter credentials: whether pages may send cookies along.
  package init(_ origins: Origins, credentials: Bool) {
    switch origins {
    case .any:
      self.origins = []
      allowsAny = true
      grants = [Self.grant("*", credentials: credentials)]
    case .listed(let list):
      self.origins = list.map { Array($0.utf8) }
      allowsAny = false
      grants = list.map { Self.grant($0, credentials: credentials) }
    }
  }

  private static func grant(_ origin: String, credentials: Bool) -> [UInt8] {
    let credentials = credentials ? "Access-Control-Allow-Credentials: true\r\n" : ""
    return Array("Access-Control-Allow-Origin: \(origin)\r\n\(credentials)".utf8) + exposed + refusedBytes
  }

  private static let exposed = Array("Access-Control-Expose-Headers: \(CORSPermission.exposed)\r\n".utf8)
  /// The answer differs by origin, also where it grants nothing: a cache must not give it to another one.
  private static let refusedBytes = Array("Vary: Origin\r\n".utf8)

  package func allows(origin: Span<UInt8>) -> Bool { grant(for: origin) != nil }

  func grant(for origin: Span<UInt8>) -> Int? {
    if allowsAny { return origin.count > 0 && !ByteCompare.equal(origin, Self.opaque) ? 0 : nil }
    var index = 0
    while index < origins.count {
      if ByteCompare.equal(origin, origins[index]) { return index }
      index += 1
    }
    return nil
  }

  private static let opaque = Array("null".utf8)

  /// The fields of an answer under this decision, each with its CRLF.
  func fields(_ decision: CORSDecision) -> [UInt8] {
    switch decision {
    case .none: []
    case .refused: Self.refusedBytes
    case .granted(let index): index < grants.count ? grants[index] : Self.refusedBytes
    }
  }
}

/// What an app's policy says of a request.
enum CORSDecision: Equatable {
  /// The app has no policy: it is its backends' own matter.
  case none
  /// There is no origin, or none that may read the answer.
  case refused
  /// The origin's index in the policy.
  case granted(Int)
}
