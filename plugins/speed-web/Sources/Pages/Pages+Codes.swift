import ProviderKit

extension Pages {
  /// Entering the code of a letter, or confirming what its link brought along.
  static func verify(_ frame: PageFrame, _ model: VerifyModel) -> HTML {
    let texts = frame.language.texts.codes
    let isFromLink = !model.code.isEmpty && model.problem == nil
    let email = model.email.map(address)
    let heading = isFromLink ? texts.verifyLinkHeading : texts.verifyHeading
    let lead: HTML =
      isFromLink
      ? email.map(texts.verifyLinkLeadFor) ?? "\(texts.verifyLinkLead)"
      : email.map(texts.sentTo) ?? "\(texts.sent)"
    let hidden = [("id", model.id)] + (isFromLink ? [(Field.code.rawValue, model.code)] : [])
    let field =
      isFromLink ? "" : code(frame, value: model.code, digits: model.digits, problem: model.problem)
    let again = form(
      frame, to: .verify, hidden: [("id", model.id), ("action", "resend")], attributes: " class=\"aside\"",
      "<span>\(texts.nothingCame)</span> \(button("resend", texts.resend, style: " class=\"plain\""))")
    let back: HTML = """
      <p class="aside"><a id="to-account" href="\(PagePath.account.link(frame.visit))">\(frame.language.texts.passkey.back)</a></p>
      """
    return page(
      frame, title: heading, hasProblem: model.problem != nil,
      """
      \(top(frame))
      <h1>\(heading)</h1>
      <p class="lead">\(lead)</p>
      \(messages(frame, notice: model.notice, problem: model.problem))
      \(form(frame, to: .verify, hidden: hidden, "\(field)\(button("verify", texts.verifyButton))"))
      \(model.canResend && !isFromLink ? again : "")
      \(model.isNewAddress ? back : "")
      """)
  }

  /// Asking for a new password.
  static func reset(_ frame: PageFrame, _ model: ResetModel) -> HTML {
    let texts = frame.language.texts
    return page(
      frame, title: texts.codes.resetHeading, hasProblem: model.problem != nil,
      """
      \(top(frame))
      <h1>\(texts.codes.resetHeading)</h1>
      <p class="lead">\(texts.codes.resetLead)</p>
      \(messages(frame, problem: model.problem))
      \(form(
        frame, to: .reset,
        """
        \(email(frame, value: model.email, autocomplete: "username", problem: model.problem))
        \(button("reset", texts.codes.resetButton))
        """))
      <p class="aside"><a id="to-sign-in" href="\(PagePath.signIn.link(frame.visit))">\(texts.common.backToSignIn)</a></p>
      """)
  }

  /// Choosing a new password with the code of a letter.
  static func newPassword(_ frame: PageFrame, _ model: NewPasswordModel) -> HTML {
    let texts = frame.language.texts.codes
    let asksForCode = model.code.isEmpty || model.problem?.field == .code
    let lead: HTML =
      asksForCode
      ? model.email.map { texts.newSentTo(address($0)) } ?? "\(texts.newSent)"
      : "\(model.isFirst ? texts.firstLead : texts.newLead)"
    let hidden = [("id", model.id)] + (asksForCode ? [] : [(Field.code.rawValue, model.code)])
    let account: HTML =
      model.email.map { email in
        "<input type=\"email\" autocomplete=\"username\" value=\"\(email)\" aria-label=\"\(email)\" readonly hidden>"
      } ?? ""
    let again: HTML = """
      <p class="aside">\(texts.nothingCame) <a id="to-reset" href="\(PagePath.reset.link(frame.visit))">\(texts.resend)</a></p>
      """
    let heading = model.isFirst ? texts.firstHeading : texts.newHeading
    return page(
      frame, title: heading, hasProblem: model.problem != nil,
      """
      \(top(frame))
      <h1>\(heading)</h1>
      <p class="lead">\(lead)</p>
      \(messages(frame, problem: model.problem))
      \(form(
        frame, to: .newPassword, hidden: hidden,
        """
        \(account)
        \(asksForCode ? code(frame, value: model.code, digits: model.digits, problem: model.problem) : "")
        \(newPassword(
          frame, label: model.isFirst ? frame.language.texts.common.password : texts.newPassword, minimum: model.minimumLength, problem: model.problem,
          isFirst: !asksForCode))
        \(button("new-password", texts.newButton))
        """))
      \(asksForCode ? again : "")
      """)
  }
}
