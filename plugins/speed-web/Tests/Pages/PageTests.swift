import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Pages") struct PageTests {
  @Test("a page is one answer of at most 30 KiB, with the largest logo", arguments: Language.allCases)
  func size(_ language: Language) {
    for sample in PageSample.samples(language, logo: PageSample.largeLogo) {
      #expect(sample.html.markup.utf8.count <= 30 * 1024, "\(sample.name)")
    }
  }

  @Test("a page names its language, its title and one heading", arguments: PageSample.all)
  func outline(_ sample: PageSample) throws {
    let page = sample.page
    #expect(page.text.hasPrefix("<!doctype html>\n"))
    #expect(page.all("html").map { $0["lang"] } == [sample.language.rawValue])
    #expect(page.all("h1").count == 1)
    #expect(page.all("main").count == 1)
    let (title, heading) = (try #require(page.content(of: "title")), try #require(page.content(of: "h1")))
    #expect(title.hasSuffix("\(heading) – Speed"))
  }

  @Test(
    "a page asks nobody for anything, and whatever it runs or looks like carries the nonce", arguments: PageSample.all)
  func policy(_ sample: PageSample) {
    let page = sample.page
    for tag in page.tags {
      #expect(!tag.attributes.keys.contains { $0 == "style" || $0.hasPrefix("on") }, "\(tag.name)")
      if let source = tag["src"] { #expect(source.hasPrefix("data:")) }
      if let target = tag["href"] { #expect(target.hasPrefix("/platform/") || target == "data:,") }
    }
    for tag in page.all("script") + page.all("style") { #expect(tag["nonce"] == "nonce-of-this-page") }
    #expect(!page.text.contains("@import") && !page.text.contains("url("))
  }

  @Test(
    "a form is posted within the pages, carries the visit on, and proves whom it was shown", arguments: PageSample.all)
  func forms(_ sample: PageSample) {
    let page = sample.page
    let forms = page.all("form")
    for form in forms {
      let action = form["action"] ?? ""
      #expect(form["method"] == "post")
      #expect(PagePath(rawValue: String(action.prefix { $0 != "?" })) != nil)
      #expect(action.hasSuffix(sample.frame.visit == nil ? "" : "?" + PageSample.visitQuery))
    }
    let tokens = page.all("input").filter { $0["name"] == PageRequest.formField }
    #expect(tokens.map { $0["value"] } == forms.map { _ in "token-of-this-browser" })
  }

  @Test("links carry the visit on", arguments: PageSample.all)
  func links(_ sample: PageSample) {
    guard sample.frame.visit != nil else { return }
    for link in sample.page.all("a") { #expect(link["href"]?.hasSuffix("?" + PageSample.visitQuery) == true) }
  }

  @Test("ids are unique, and what refers to one finds it", arguments: PageSample.all)
  func references(_ sample: PageSample) {
    let page = sample.page
    let ids = page.tags.compactMap { $0["id"] }
    #expect(Set(ids).count == ids.count)
    for name in ["for", "aria-describedby", "aria-labelledby", "aria-controls"] {
      for reference in page.tags.compactMap({ $0[name] }).flatMap({ $0.split(separator: " ") }) {
        #expect(ids.contains(String(reference)), "\(name)=\(reference)")
      }
    }
  }

  @Test("every field that people see has a label and says what belongs there", arguments: PageSample.all)
  func labels(_ sample: PageSample) {
    let page = sample.page
    let labelled = page.all("label").compactMap { $0["for"] }
    for input in page.all("input") where input["type"] != "hidden" && input["hidden"] == nil {
      #expect(labelled.contains(input["id"] ?? ""))
      #expect(input["autocomplete"] != nil)
    }
    for button in page.all("button") where button["class"] != "eye" { #expect(button["type"] == nil) }
  }

  @Test("the keyboard begins at one place at most", arguments: PageSample.all)
  func focus(_ sample: PageSample) {
    #expect(sample.page.tags.filter { $0["autofocus"] != nil }.count <= 1)
  }

  @Test("nothing that came from outside becomes markup")
  func escaping() {
    let hostile = "\"><script>alert('1')</script>"
    for language in Language.allCases {
      let frame = PageSample.frame(language, app: hostile, isLinking: true, logo: hostile)
      var account = AccountModel(
        name: hostile, email: hostile,
        passkeys: [PasskeyItem(id: hostile, name: hostile, addedAt: 0, lastUsedAt: 0)],
        sessions: [
          SessionItem(id: hostile, userAgent: hostile, address: hostile, lastUsedAt: 0, isCurrent: false)
        ], now: 0)
      account.problem = (.email, .emailMalformed)
      account.edited = hostile
      let passkey = AddPasskeyModel(
        prompt: PasskeyPrompt(challenge: [], relyingParty: hostile), userHandle: [], email: hostile,
        displayName: hostile,
        name: hostile)
      let pages = [
        Pages.signIn(frame, SignInModel(email: hostile, passkey: passkey.prompt)),
        Pages.signUp(frame, SignUpModel(name: hostile, email: hostile)),
        Pages.verify(frame, VerifyModel(id: hostile, email: hostile, code: hostile, problem: .codeWrong)),
        Pages.verify(frame, VerifyModel(id: hostile, email: hostile, code: hostile)),
        Pages.reset(frame, ResetModel(email: hostile)),
        Pages.newPassword(frame, NewPasswordModel(id: hostile, email: hostile, code: hostile)),
        Pages.consent(frame, ConsentModel(name: hostile, email: hostile)),
        Pages.account(frame, account), Pages.addPasskey(frame, passkey), Pages.expired(frame),
      ]
      for page in pages {
        #expect(!page.markup.contains("<script>") && !page.markup.contains("'1'"))
        #expect(Markup(page).all("script").count == 1)
      }
    }
  }

  @Test("without a logo the first sign of the app's name stands for it")
  func monogram() {
    #expect(Pages.initial("  éclair") == "É")
    #expect(Pages.initial("") == "")
    #expect(Pages.initial("e" + String(repeating: "\u{301}", count: 100)) == "")
    let page = Pages.signIn(PageSample.frame(.english, app: "notes"), SignInModel())
    #expect(page.markup.contains("<div class=\"tile\" aria-hidden=\"true\">N</div>"))
  }

  @Test("an app that learns nothing gets no list of it")
  func consentWithoutDetails() {
    let frame = PageSample.frame(.english, isLinking: true)
    let page = Pages.consent(frame, ConsentModel(name: "Jane", email: "j@example.com", shared: []))
    #expect(!page.markup.contains("will receive"))
    #expect(page.markup.contains("Link your Speed account to Notes?"))
  }

  @Test("a letter's link leaves one button to press, and brings its code along")
  func verifyByLink() {
    let page = Markup(Pages.verify(PageSample.frame(.english), VerifyModel(id: "x", code: "12345678")))
    #expect(page.all("button").map { $0["id"] } == ["verify"])
    let code = page.all("input").first { $0["name"] == "code" }
    #expect(code?["type"] == "hidden" && code?["value"] == "12345678")
  }

  @Test("an address is broken behind its @ alone")
  func addresses() {
    #expect(Pages.address("a.b@c.example").markup == "<bdi translate=\"no\">a.b@<wbr>c.example</bdi>")
    #expect(Pages.address("<b>").markup == "<bdi translate=\"no\">&lt;b&gt;</bdi>")
  }

  @Test("a part of the account with a problem is open, the others are not")
  func openPart() {
    var account = PageSample.account
    account.problem = (.password, .passwordCommon)
    let page = Markup(Pages.account(PageSample.frame(.english, app: nil), account))
    #expect(page.all("details").filter { $0["open"] != nil }.count == 1)
    #expect(page.tag(id: "password")?["aria-invalid"] == "true")
    #expect(page.tag(id: "email")?["aria-invalid"] == nil)
  }
}
