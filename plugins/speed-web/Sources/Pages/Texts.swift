import ProviderKit

/// Everything that the pages say, in one language. A closure takes what is put in; where that is emphasised it is a piece
/// of HTML.
struct Texts: Sendable {
  typealias Filled = @Sendable (String) -> String
  typealias Rich = @Sendable (HTML) -> HTML

  let common: Common
  let signIn: SignIn
  let signUp: SignUp
  let codes: Codes
  let consent: Consent
  let account: Account
  let passkey: PasskeyPage
  let expired: Expired
  let times: Times
  let problem: @Sendable (Problem) -> String
  let notice: @Sendable (Notice) -> String

  struct Common: Sendable {
    let brand: String
    /// The title of a page that has a problem.
    let titleOfProblem: Filled
    let name: String
    let email: String
    let password: String
    let showPassword: String
    let hidePassword: String
    let passwordHint: @Sendable (_ minimum: Int) -> String
    let or: String
    let backToSignIn: String
    /// A browser and what it runs on, for example "Safari on iPhone".
    let browserOnDevice: @Sendable (_ browser: String, _ device: String) -> String
    let unknownBrowser: String
  }

  struct SignIn: Sendable {
    let heading: String
    let headingForApp: Filled
    let lead: String
    let linkHeading: String
    let linkLead: Rich
    let confirmHeading: String
    let confirmLead: String
    let forgot: String
    let button: String
    let passkey: String
    let passkeyFailed: String
    let newHere: String
    let create: String
  }

  struct SignUp: Sendable {
    let heading: String
    let lead: String
    let leadForApp: Rich
    let nameHint: String
    let button: String
    let haveOne: String
    let signIn: String
  }

  /// The pages that have to do with codes and links in letters.
  struct Codes: Sendable {
    let code: @Sendable (_ digits: Int) -> String
    let verifyHeading: String
    let sentTo: Rich
    let sent: String
    let verifyLinkHeading: String
    let verifyLinkLead: String
    let verifyLinkLeadFor: Rich
    let verifyButton: String
    let nothingCame: String
    let resend: String
    let resetHeading: String
    let resetLead: String
    let resetButton: String
    let newHeading: String
    let newSentTo: Rich
    let newSent: String
    let newLead: String
    let firstHeading: String
    let firstLead: String
    let newPassword: String
    let newButton: String
  }

  struct Consent: Sendable {
    let heading: Filled
    let shared: Rich
    let name: String
    let photo: String
    let email: String
    let promise: String
    let allow: String
    let deny: String
    let linkHeading: Filled
    let linkLead: Rich
    let linkAllow: String
    let signedInAs: String
    let otherAccount: String
  }

  struct Account: Sendable {
    let heading: String
    let profile: String
    let change: String
    let save: String
    let currentPassword: String
    let newPassword: String
    let newEmail: String
    let newEmailHint: String
    let sendCode: String
    let passkeys: String
    let noPasskeys: String
    let addPasskey: String
    let added: Filled
    let lastUsed: Filled
    let remove: String
    let removeText: String
    let removeButton: String
    let sessions: String
    let thisBrowser: String
    let signOut: String
    /// What a screen reader says for it beside one of several browsers.
    let signOutOf: Filled
    let everywhere: String
    let everywhereText: String
    let everywhereButton: String
  }

  struct PasskeyPage: Sendable {
    let heading: String
    let lead: String
    let name: String
    let nameHint: String
    let button: String
    let back: String
    let unsupported: String
    let exists: String
    let failed: String
  }

  struct Expired: Sendable {
    let heading: String
    let text: String
    let startAgain: String
  }

  /// How long ago something was, and dates.
  struct Times: Sendable {
    let now: String
    let minutes: @Sendable (Int) -> String
    let hours: @Sendable (Int) -> String
    let days: @Sendable (Int) -> String
    /// - month: 1 to 12.
    let date: @Sendable (_ year: Int, _ month: Int, _ day: Int) -> String
  }
}

extension Language {
  /// What the pages say in it.
  var texts: Texts {
    switch self {
    case .english: .english
    case .german: .german
    case .french: .french
    case .spanish: .spanish
    case .portuguese: .portuguese
    case .japanese: .japanese
    }
  }
}
