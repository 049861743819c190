import GatewayBase

/// A token whose signature and claims were good, with all that a request with it needs, ready to be copied.
final class RememberedToken {
  let appID: Int64
  let admission: Admission
  /// The identity fields for the backend, the assertion among them, each with its CRLF.
  let identityFields: [UInt8]
  /// The user's, for limits.
  let userHash: Int
  var userID: String { admission.userID }
  /// The version of the revocations that it was last found good at.
  private var checkedVersion: UInt64

  init(_ admission: Admission, checkedVersion: UInt64) {
    appID = admission.appID
    self.admission = admission
    self.checkedVersion = checkedVersion
    userHash = admission.userID.hashValue
    identityFields = Array(
      """
      X-Speed-User-Id: \(admission.userID)\r
      X-Speed-App-User-UUID: \(admission.appUserUUID)\r
      X-Speed-Role: \(admission.role)\r
      X-Speed-Local-User: \(admission.isLocalUser)\r
      X-Speed-Assertion: \(admission.assertion)\r

      """.utf8)
  }

  /// A token that was just admitted. Its first use asks whether it was revoked: the version that it is given is one that
  /// the authority has not had.
  ///
  /// - Parameter version: of the revocations, as it was before the token was judged.
  convenience init(_ admission: Admission, judgedAt version: UInt64) {
    self.init(admission, checkedVersion: version &- 1)
  }

  enum Standing {
    case good
    /// Expired or revoked.
    case ended
    /// Good, but its assertion is too old to be handed out.
    case stale
  }

  func standing(now: UnixTime, authority: any TokenAuthority) -> Standing {
    if now >= admission.expiresAt { return .ended }
    let version = authority.revocationVersion
    if version != checkedVersion {
      if authority.isRevoked(admission) { return .ended }
      checkedVersion = version
    }
    return now < admission.assertionGoodUntil ? .good : .stale
  }
}
