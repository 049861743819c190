/// Why a form was not taken: each is said beside the field that it is about, or above the form.
enum Problem: Sendable, Hashable {
  /// Address and password don't belong together, or there is no such account: never says which.
  case wrongCredentials
  /// Too many guesses; another try makes sense after so many seconds. Says that a new password by mail is a way out.
  case tooManyTries(seconds: Int)
  /// Too many letters or new accounts were asked for; another try makes sense after so many seconds.
  case tooManyRequests(seconds: Int)
  /// A passkey that no account has, or that was not good.
  case passkeyRefused
  /// The passkey was made, but could not be added.
  case passkeyNotAdded
  /// The account has as many passkeys as it may have.
  case tooManyPasskeys(limit: Int)

  case nameMissing
  case nameTooLong
  case emailMissing
  case emailMalformed
  /// The new address is the present one.
  case emailUnchanged
  case passwordMissing
  case passwordTooShort(minimum: Int)
  case passwordTooLong
  /// It is on the list of those that are tried first.
  case passwordCommon
  /// It is the address or the name, or nearly so.
  case passwordPersonal
  /// The present password, as asked for before a change, is wrong.
  case currentPasswordWrong
  case codeMissing
  case codeWrong

  /// Letters can't be sent at present.
  case mailUnavailable
  /// Too much is going on at present: try again in a moment.
  case busy

  /// The field that it is about; nil for the form as a whole.
  var field: Field? {
    switch self {
    case .wrongCredentials, .tooManyTries, .tooManyRequests, .passkeyRefused, .passkeyNotAdded, .tooManyPasskeys,
      .mailUnavailable, .busy:
      nil
    case .nameMissing, .nameTooLong: .name
    case .emailMissing, .emailMalformed, .emailUnchanged: .email
    case .passwordMissing, .passwordTooShort, .passwordTooLong, .passwordCommon, .passwordPersonal: .password
    case .currentPasswordWrong: .currentPassword
    case .codeMissing, .codeWrong: .code
    }
  }
}

/// The fields that people fill in, by their names in the form.
enum Field: String, Sendable, Hashable {
  case name
  case email
  case password
  case currentPassword = "current_password"
  case code
}

/// Something that has just been done, said at the top of the page that follows. The raw value is for the query of the
/// redirect that leads there (`PagePath.link(visit, [(Notice.queryField, notice.rawValue)])`).
enum Notice: String, Sendable, Hashable, CaseIterable {
  case signedOut = "signed-out"
  case nameChanged = "name-changed"
  case emailChanged = "email-changed"
  case passwordChanged = "password-changed"
  case passkeyAdded = "passkey-added"
  case passkeyRemoved = "passkey-removed"
  case sessionEnded = "session-ended"
  case signedOutEverywhere = "signed-out-everywhere"
  /// Another letter with a code is on its way, if there is something to send.
  case codeSent = "code-sent"

  /// The field of the query.
  static let queryField = "done"
}
