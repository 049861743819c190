import GatewayBase

/// A token whose signature and claims were good, with all that a request with it needs, ready to be copied.
///
/// What each request looks at stands in front, side by side: with many users in turn each line of memory is a cache miss.
final class RememberedToken {
  /// The identity fields for the backend, the assertion among them, each with its CRLF.
  private(set) var identityFields: [UInt8]
  private var assertionGoodUntil: UnixTime
  private let expiresAt: UnixTime
  /// The version of the revocations that it was last found good at.
  private var checkedVersion: UInt64
  let appID: Int64
  /// The user's, for limits.
  let userHash: Int
  private(set) var admission: Admission
  var userID: String { admission.userID }

  init(_ admission: Admission, _ assertion: BackendAssertion, checkedVersion: UInt64) {
    appID = admission.appID
    expiresAt = admission.expiresAt
    self.admission = admission
    self.checkedVersion = checkedVersion
    userHash = admission.userID.hashValue
    identityFields = Self.identityFields(admission, assertion)
    assertionGoodUntil = assertion.goodUntil
  }

  /// A token that was just admitted. Its first use asks whether it was revoked: the version that it is given is one that
  /// the authority has not had.
  ///
  /// - Parameter version: of the revocations, as it was before the token was judged.
  convenience init(_ admission: Admission, _ assertion: BackendAssertion, judgedAt version: UInt64) {
    self.init(admission, assertion, checkedVersion: version &- 1)
  }

  /// Takes over an assertion that was signed anew.
  ///
  /// - Parameter signed: what it was signed for: of an account that has been linked or unlinked since it is no good.
  func renew(_ assertion: BackendAssertion, for signed: Admission) {
    guard signed.isLocalUser == admission.isLocalUser else { return }
    identityFields = Self.identityFields(admission, assertion)
    assertionGoodUntil = assertion.goodUntil
  }

  private static func identityFields(_ admission: Admission, _ assertion: BackendAssertion) -> [UInt8] {
    Array(
      """
      X-Speed-User-Id: \(admission.userID)\r
      X-Speed-App-User-UUID: \(admission.appUserUUID)\r
      X-Speed-Role: \(admission.role)\r
      X-Speed-Local-User: \(admission.isLocalUser)\r
      X-Speed-Assertion: \(assertion.text)\r

      """.utf8)
  }

  enum Standing {
    case good
    /// Expired or revoked.
    case ended
    /// Good, but its assertion is too old to be handed out, or the account has been linked or unlinked since.
    case stale
  }

  func standing(now: UnixTime, authority: any TokenAuthority) -> Standing {
    if now >= expiresAt { return .ended }
    let version = authority.revocationVersion
    if version != checkedVersion {
      guard case .good(let isLocalUser) = authority.standing(of: admission) else { return .ended }
      checkedVersion = version
      if isLocalUser != admission.isLocalUser {
        admission = admission.with(isLocalUser: isLocalUser)
        assertionGoodUntil = UnixTime(milliseconds: 0)
      }
    }
    return now < assertionGoodUntil ? .good : .stale
  }
}
