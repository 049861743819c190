import GatewayBase
import GatewayHTTP

/// What pages of an allowed origin may do, as answers tell it.
package enum CORSPermission {
  /// The fields that scripts may read besides the usual ones: without them a page can't tell a refusal of the gateway.
  package static let exposed = "X-Request-Id, X-Speed-Error, Retry-After, RateLimit, RateLimit-Policy"

  /// What a granted preflight allows.
  ///
  /// - Parameter headers: those that were asked for; nil for the ones that every app of the gateway needs.
  package static func fields(methods: String, headers: String?) -> [ServiceField] {
    [
      ServiceField("Access-Control-Allow-Methods", methods),
      ServiceField(
        "Access-Control-Allow-Headers", headers ?? "Authorization, Content-Type, X-Speed-Request-From"),
      ServiceField("Access-Control-Max-Age", "\(Limits.corsMaxAge)"),
    ]
  }

  /// A list of field names, written anew; nil where it is none, or too long.
  package static func names(_ value: Span<UInt8>) -> String? {
    guard value.count <= Limits.corsRequestHeaders else { return nil }
    let members = String(copying: value).split(separator: ",").map { $0.trimming { $0 == " " || $0 == "\t" } }
    guard !members.isEmpty, members.allSatisfy({ HTTPMethod.parse(Array($0.utf8).span) != nil }) else { return nil }
    return members.joined(separator: ", ")
  }
}

extension Substring {
  /// Without what `isBlank` finds at both ends.
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
    var text = drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
