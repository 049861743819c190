import ProviderKit

extension Pages {
  /// Signing in by password, or by passkey where the browser can.
  static func signIn(_ frame: PageFrame, _ model: SignInModel) -> HTML {
    let texts = frame.language.texts
    let heading = signInHeading(frame, model)
    let fixed: HTML = model.isConfirmation ? " readonly" : ""
    let byPassword = form(
      frame, to: .signIn,
      """
      \(email(frame, value: model.email, autocomplete: "username webauthn", attributes: fixed, problem: model.problem))
      \(input(
        frame,
        InputField(
          field: .password, label: texts.common.password, autocomplete: "current-password", type: "password",
          problem: model.problem, isFirst: model.isConfirmation)))
      \(button("sign-in", texts.signIn.button, style: " class=\"go\""))
      """)
    let create: HTML = """
      <p class="aside">\(texts.signIn.newHere) \
      <a id="to-sign-up" href="\(PagePath.signUp.link(frame.visit))">\(texts.signIn.create)</a></p>
      """
    return page(
      frame, title: heading.title, hasProblem: model.problem != nil,
      script: model.passkey == nil ? "" : Scripts.signIn,
      """
      \(top(frame, joining: frame.visit?.isLinking == true ? speedTile : nil))
      <h1>\(heading.title)</h1>
      <p class="lead">\(heading.lead)</p>
      \(messages(frame, notice: model.notice, problem: model.problem))
      \(byPassword)
      <p class="aside"><a id="to-reset" href="\(PagePath.reset.link(frame.visit))">\(texts.signIn.forgot)</a></p>
      \(model.passkey.map { byPasskey(frame, $0) } ?? "")
      \(model.isConfirmation ? "" : create)
      """)
  }

  private static func signInHeading(_ frame: PageFrame, _ model: SignInModel) -> (title: String, lead: HTML) {
    let texts = frame.language.texts.signIn
    return if model.isConfirmation {
      (texts.confirmHeading, "\(texts.confirmLead)")
    } else if let visit = frame.visit {
      visit.isLinking
        ? (texts.linkHeading, texts.linkLead(named(visit.app.name)))
        : (texts.headingForApp(visit.app.name), "\(texts.lead)")
    } else {
      (texts.heading, "\(texts.lead)")
    }
  }

  private static func byPasskey(_ frame: PageFrame, _ prompt: PasskeyPrompt) -> HTML {
    let texts = frame.language.texts
    let answer = ["passkey_id", "client_data", "authenticator_data", "signature", "user_handle"].map { ($0, "") }
    let attributes: HTML = """
       id="passkey" class="needs-passkeys" data-challenge="\(ByteText.base64URL(prompt.challenge))" \
      data-party="\(prompt.relyingParty)" data-failed="\(texts.signIn.passkeyFailed)"
      """
    return form(
      frame, to: .signIn, hidden: answer, attributes: attributes,
      """
      <div class="or">\(texts.common.or)</div>
      <p class="alert" id="passkey-failure" role="alert" hidden></p>
      <button id="passkey-sign-in" class="second">\(Icons.passkey)<span>\(texts.signIn.passkey)</span></button>
      """)
  }

  /// Making an account.
  static func signUp(_ frame: PageFrame, _ model: SignUpModel) -> HTML {
    let texts = frame.language.texts
    let lead = frame.visit.map { texts.signUp.leadForApp(named($0.app.name)) } ?? "\(texts.signUp.lead)"
    return page(
      frame, title: texts.signUp.heading, hasProblem: model.problem != nil,
      """
      \(top(frame, joining: frame.visit == nil ? nil : speedTile))
      <h1>\(texts.signUp.heading)</h1>
      <p class="lead">\(lead)</p>
      \(messages(frame, problem: model.problem))
      \(form(
        frame, to: .signUp,
        """
        \(input(
          frame,
          InputField(
            field: .name, label: texts.common.name, autocomplete: "name", value: model.name,
            attributes: " maxlength=\"200\" dir=\"auto\"", hint: texts.signUp.nameHint, problem: model.problem)))
        \(email(frame, value: model.email, autocomplete: "username", problem: model.problem))
        \(newPassword(
          frame, label: texts.common.password, minimum: model.minimumLength, problem: model.problem))
        \(button("sign-up", texts.signUp.button, style: " class=\"go\""))
        """))
      <p class="aside">\(texts.signUp.haveOne) \
      <a id="to-sign-in" href="\(PagePath.signIn.link(frame.visit))">\(texts.signUp.signIn)</a></p>
      """)
  }
}
