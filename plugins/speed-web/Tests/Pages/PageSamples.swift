import ProviderKit
import Testing

@testable import SpeedWebPages

/// Every page, in every state that looks different.
struct PageSample: Sendable, CustomTestStringConvertible {
  let name: String
  let language: Language
  let frame: PageFrame
  let html: HTML

  var testDescription: String { "\(name) (\(language.rawValue))" }

  /// The largest logo that a page gets: 12 KiB as a `data:` URL.
  static let largeLogo = "data:image/png;base64," + String(repeating: "A", count: 12 * 1024 / 3 * 4)
  static let now: Int64 = 1_796_000_000_000
  static let prompt = PasskeyPrompt(challenge: Array(0..<32), relyingParty: "dash.example.com")
  static let visitQuery = "appId=1&redirect=notesapp%3A%2F%2Fspeed-auth"

  static func frame(
    _ language: Language, app: String? = "Notes", isLinking: Bool = false, logo: String? = nil
  ) -> PageFrame {
    let visit = app.map { name in
      Visit(app: AppDescription(appID: 1, name: name), logo: logo, isLinking: isLinking, query: visitQuery)
    }
    let request = PageRequest(
      visit: visit, path: PagePath.entrance.rawValue, formToken: "token-of-this-browser",
      scriptNonce: "nonce-of-this-page",
      languages: [language.rawValue], address: "203.0.113.7", userAgent: nil, origin: "https://dash.example.com",
      requestID: "r")
    return PageFrame(request: request)
  }

  static let all = Language.allCases.flatMap { samples($0, logo: "data:image/png;base64,AAAA") }
  private static let parsed = Dictionary(uniqueKeysWithValues: all.map { ($0.testDescription, Markup($0.html)) })

  /// Read once for all tests.
  var page: Markup { Self.parsed[testDescription] ?? Markup(html) }

  static func samples(_ language: Language, logo: String) -> [PageSample] {
    let (plain, app) = (frame(language, app: nil), frame(language, logo: logo))
    let linking = frame(language, isLinking: true, logo: logo)
    let email = "jane@example.com"
    func sample(_ name: String, _ frame: PageFrame, _ html: HTML) -> PageSample {
      PageSample(name: name, language: language, frame: frame, html: html)
    }
    let samples = [
      sample("sign-in", app, Pages.signIn(app, SignInModel(passkey: prompt))),
      sample("sign-in, linking", linking, Pages.signIn(linking, SignInModel(passkey: prompt))),
      sample("sign-in, no app", plain, Pages.signIn(plain, SignInModel(notice: .signedOut))),
      sample("confirmation", plain, Pages.signIn(plain, SignInModel(email: email, isConfirmation: true))),
      sample("sign-up", app, Pages.signUp(app, SignUpModel())),
      sample("verify", app, Pages.verify(app, VerifyModel(id: "x", email: email, notice: .codeSent))),
      sample("verify by link", app, Pages.verify(app, VerifyModel(id: "x", code: "12345678", isNewAddress: true))),
      sample("reset", app, Pages.reset(app, ResetModel())),
      sample("new password", app, Pages.newPassword(app, NewPasswordModel(id: "x", email: email))),
      sample("new password by link", app, Pages.newPassword(app, NewPasswordModel(id: "x", code: "12345678"))),
      sample(
        "first password", app, Pages.newPassword(app, NewPasswordModel(id: "x", isFirst: true, code: "12345678"))),
      sample("consent", app, Pages.consent(app, ConsentModel(name: "Jane Doe", email: email))),
      sample(
        "consent, linking", linking,
        Pages.consent(linking, ConsentModel(name: "Jane Doe", email: email, shared: [.name, .photo, .email]))),
      sample("account", plain, Pages.account(plain, account)),
      sample("account, empty", plain, Pages.account(plain, AccountModel(name: "Jane Doe", email: email, now: now))),
      sample("passkey", plain, Pages.addPasskey(plain, passkey())),
      sample("expired", app, Pages.expired(app)),
    ]
    return samples + problems(app, plain, sample)
  }

  private static func problems(
    _ app: PageFrame, _ plain: PageFrame, _ sample: (String, PageFrame, HTML) -> PageSample
  ) -> [PageSample] {
    let email = "jane@example.com"
    var open = account
    open.problem = (.email, .currentPasswordWrong)
    open.edited = "jane@new.example.com"
    return [
      sample(
        "sign-in, wrong", app, Pages.signIn(app, SignInModel(email: email, passkey: prompt, problem: .wrongCredentials))
      ),
      sample(
        "sign-in, too often", app,
        Pages.signIn(app, SignInModel(email: email, passkey: prompt, problem: .tooManyTries(seconds: 600)))),
      sample("sign-up, common", app, Pages.signUp(app, SignUpModel(email: email, problem: .passwordCommon))),
      sample("verify, wrong", app, Pages.verify(app, VerifyModel(id: "x", code: "1", problem: .codeWrong))),
      sample("reset, no address", app, Pages.reset(app, ResetModel(problem: .emailMalformed))),
      sample(
        "new password, short", app,
        Pages.newPassword(app, NewPasswordModel(id: "x", code: "1", problem: .passwordTooShort(minimum: 10)))),
      sample("account, problem", plain, Pages.account(plain, open)),
      sample("passkey, refused", plain, Pages.addPasskey(plain, passkey(.passkeyNotAdded))),
    ]
  }

  static func passkey(_ problem: Problem? = nil) -> AddPasskeyModel {
    AddPasskeyModel(
      prompt: prompt, userHandle: [1, 2, 3], email: "jane@example.com", displayName: "Jane Doe",
      excluded: [[1, 2], [255]], problem: problem)
  }

  static let account = AccountModel(
    name: "Jane Doe", email: "jane@example.com",
    passkeys: (0..<10).map { index in
      PasskeyItem(id: "p\(index)", name: "Phone \(index)", addedAt: now - 86_400_000 * 40, lastUsedAt: now - 3_600_000)
    },
    sessions: (0..<10).map { index in
      SessionItem(
        id: "s\(index)", userAgent: "Mozilla/5.0 (iPhone) Safari/604.1", address: "2001:db8:1:2::/64",
        lastUsedAt: now - 60_000 * Int64(index), isCurrent: index == 0)
    }, now: now, notice: .nameChanged)
}
