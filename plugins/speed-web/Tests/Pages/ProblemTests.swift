import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("What pages say of problems") struct ProblemTests {
  static let all: [Problem] = [
    .wrongCredentials, .tooManyTries(seconds: 61), .tooManyRequests(seconds: 5), .passkeyRefused, .passkeyNotAdded,
    .tooManyPasskeys(limit: 20), .nameMissing, .nameTooLong, .emailMissing, .emailMalformed, .emailUnchanged,
    .passwordMissing, .passwordTooShort(minimum: 10), .passwordTooLong, .passwordCommon, .passwordPersonal,
    .currentPasswordWrong, .codeMissing, .codeWrong, .mailUnavailable, .busy,
  ]

  @Test(
    "a problem of a field is said beside it, tied to it, and is where the keyboard begins",
    arguments: all.filter { [.name, .email, .password].contains($0.field) })
  func fields(_ problem: Problem) throws {
    let field = try #require(problem.field)
    let page = Markup(Pages.signUp(PageSample.frame(.english), SignUpModel(problem: problem)))
    let input = try #require(page.tag(id: field.rawValue))
    #expect(input["aria-invalid"] == "true" && input["autofocus"] != nil)
    #expect(input["aria-describedby"]?.contains("\(field.rawValue)-problem") == true)
    #expect(page.tag(id: "\(field.rawValue)-problem")?["role"] == "alert")
    #expect(page.tags.filter { $0["role"] == "alert" }.count == 1)
    #expect(page.content(of: "title") == "Error: Create your Speed account – Speed")
  }

  @Test("a problem of the whole form is said before it, and read first", arguments: all.filter { $0.field == nil })
  func forms(_ problem: Problem) throws {
    let page = Markup(Pages.signIn(PageSample.frame(.english), SignInModel(problem: problem)))
    let alert = try #require(page.tag(id: "problem"))
    #expect(alert["role"] == "alert")
    if problem == .wrongCredentials {
      let password = page.tag(id: "password")
      #expect(password?["autofocus"] != nil && password?["aria-describedby"] == "problem")
    } else {
      #expect(alert["autofocus"] != nil && alert["tabindex"] == "-1")
    }
  }

  @Test("a wrong sign-in does not say which part was wrong", arguments: Language.allCases)
  func wrongCredentials(_ language: Language) {
    let page = Markup(
      Pages.signIn(PageSample.frame(language), SignInModel(email: "a@example.com", problem: .wrongCredentials)))
    #expect(page.all("input").allSatisfy { $0["aria-invalid"] == nil })
    #expect(page.all("input").filter { $0["type"] == "password" }.allSatisfy { $0["value"] == "" })
  }

  @Test("every problem and every notice has words of its own in every language", arguments: Language.allCases)
  func words(_ language: Language) {
    let problems = Self.all.map(language.texts.problem)
    let notices = Notice.allCases.map(language.texts.notice)
    #expect(Set(problems + notices).count == problems.count + notices.count)
    #expect(problems.allSatisfy { !$0.isEmpty })
    #expect(language.texts.problem(.passwordTooShort(minimum: 12)).contains("12"))
    #expect(language.texts.problem(.tooManyPasskeys(limit: 20)).contains("20"))
  }

  @Test("a wait is said in the unit that fits, rounded up")
  func waits() {
    #expect(Wait(seconds: -5) == .seconds(1))
    #expect(Wait(seconds: 59) == .seconds(59))
    #expect(Wait(seconds: 60) == .minutes(1))
    #expect(Wait(seconds: 61) == .minutes(2))
    #expect(Wait(seconds: 3540) == .minutes(59))
    #expect(Wait(seconds: 3541) == .hours(1))
    #expect(Wait(seconds: 7201) == .hours(3))
    let said = Texts.english.problem(.tooManyTries(seconds: 60))
    #expect(said == "Too many attempts. Try again in 1 minute, or reset your password.")
  }
}
