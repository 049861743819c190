// What each page shows. Values that are put in again after a problem stand in the model as they were sent.

/// What a browser is asked to sign with one of its passkeys.
struct PasskeyPrompt: Sendable, Hashable {
  /// `PasskeyChallenge.bytes`.
  let challenge: [UInt8]
  /// `PasskeyChallenge.relyingParty`.
  let relyingParty: String
}

/// Posts `email` and `password`, or, by the passkey script, `passkey_id`, `client_data`, `authenticator_data`,
/// `signature` and `user_handle` in base64url without padding.
struct SignInModel: Sendable {
  var email = ""
  /// nil: no passkey is offered.
  var passkey: PasskeyPrompt?
  var problem: Problem?
  var notice: Notice?
  /// The person is signed in and proves it again before something that matters: the address stands fast.
  var isConfirmation = false
}

/// Posts `name`, `email` and `password`.
struct SignUpModel: Sendable {
  var name = ""
  var email = ""
  /// The shortest password that is taken, in characters: stands below the field.
  var minimumLength = PasswordRules.minimum
  var problem: Problem?
}

/// Posts `id` and `code`; the button for another letter posts `id` and `action=resend`.
struct VerifyModel: Sendable {
  let id: String
  /// Where the code was sent, where this browser may know it.
  var email: String?
  /// Prefilled where the link of the letter was followed: then one button is all there is.
  var code = ""
  /// How many digits a code has.
  var digits = MailedCode.digits
  /// The address is a new one of an account that exists: there is a way back to it.
  var isNewAddress = false
  /// Whether another letter may be asked for here.
  var canResend = true
  var problem: Problem?
  var notice: Notice?
}

/// Posts `email`.
struct ResetModel: Sendable {
  var email = ""
  var problem: Problem?
}

/// Posts `id`, `code` and `password`. It is shown after the reset was asked for, whether or not there is an account, and
/// by the letter's link.
struct NewPasswordModel: Sendable {
  let id: String
  /// The account is new and has no password yet, as the letter's link was opened in another browser than the one that
  /// asked for it: the page says so.
  var isFirst = false
  /// The address, for the page's text and for password managers, where this browser may know it.
  var email: String?
  /// Prefilled where the link of the letter was followed: then only the password is asked for.
  var code = ""
  var digits = MailedCode.digits
  var minimumLength = PasswordRules.minimum
  var problem: Problem?
}

/// What an app learns of a person.
enum SharedDetail: Sendable, Hashable { case name, photo, email }

/// Posts `decision`, `allow` or `deny`. Only with a visit; says it otherwise where `Visit.isLinking`.
struct ConsentModel: Sendable {
  let name: String
  let email: String
  /// What the app gets, in this order.
  var shared: [SharedDetail] = [.name, .photo]
  var problem: Problem?
}

/// A passkey of the account.
struct PasskeyItem: Sendable {
  /// What `passkey` of the form `remove-passkey` is.
  let id: String
  let name: String
  /// Unix time in milliseconds, as all times here.
  let addedAt: Int64
  let lastUsedAt: Int64?
}

/// A browser that is signed in.
struct SessionItem: Sendable {
  /// What `session` of the form `sign-out-session` is.
  let id: String
  /// `PageRequest.userAgent` of its last use.
  let userAgent: String?
  /// `PageRequest.address` of its last use.
  let address: String
  let lastUsedAt: Int64
  /// Whether it is this one.
  let isCurrent: Bool
}

/// A part of the account's page, by the `action` that its form posts.
enum AccountAction: String, Sendable, Hashable, CaseIterable {
  /// Posts `name`.
  case name
  /// Posts `email` and `current_password`.
  case email
  /// Posts `current_password` and `password`.
  case password
  /// Posts, from its own page, `name`, `client_data` and `attestation` in base64url.
  case addPasskey = "add-passkey"
  /// Posts `passkey`.
  case removePasskey = "remove-passkey"
  case signOut = "sign-out"
  /// Posts `session`.
  case signOutSession = "sign-out-session"
  case signOutEverywhere = "sign-out-everywhere"
}

/// Every form of it posts `action`.
struct AccountModel: Sendable {
  let name: String
  let email: String
  var passkeys: [PasskeyItem] = []
  var sessions: [SessionItem] = []
  var minimumLength = PasswordRules.minimum
  /// The present time, by which "two hours ago" is said.
  let now: Int64
  var notice: Notice?
  /// The part that has a problem: it is open.
  var problem: (action: AccountAction, problem: Problem)?
  /// What was put into that part's `name` or `email`.
  var edited = ""
}

/// Makes a passkey and posts it to `PagePath.account` with `action=add-passkey`.
struct AddPasskeyModel: Sendable {
  let prompt: PasskeyPrompt
  /// `user.id`: 1 to 64 bytes that say nothing of the person.
  let userHandle: [UInt8]
  /// `user.name`: the address.
  let email: String
  /// `user.displayName`.
  let displayName: String
  /// The ids of the passkeys that the account has already.
  var excluded: [[UInt8]] = []
  /// The passkey's name as it was put in.
  var name = ""
  var problem: Problem?
}
