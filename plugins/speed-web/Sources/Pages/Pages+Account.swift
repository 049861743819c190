import ProviderKit

extension Pages {
  /// The account itself: profile, passkeys, and where it is signed in. Each part opens in place.
  static func account(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts.account
    return page(
      frame, title: texts.heading, hasProblem: model.problem != nil, isWide: true,
      """
      <div class="top"><div class="tile round" aria-hidden="true">\(initial(model.name))</div></div>
      <h1>\(texts.heading)</h1>
      \(messages(frame, notice: model.notice, problem: pageProblem(model)))
      <section aria-labelledby="profile"><h2 id="profile">\(texts.profile)</h2>
      <ul class="list">
      \(nameRow(frame, model))
      \(emailRow(frame, model))
      \(passwordRow(frame, model))
      </ul></section>
      \(passkeySection(frame, model))
      \(sessionSection(frame, model))
      """)
  }

  /// A problem that no part of the page shows, as what it is about has none.
  private static func pageProblem(_ model: AccountModel) -> Problem? {
    switch model.problem?.action {
    case .name, .email, .password, nil: nil
    default: model.problem?.problem
    }
  }

  private static func problem(_ model: AccountModel, of action: AccountAction) -> Problem? {
    model.problem?.action == action ? model.problem?.problem : nil
  }

  /// A part that opens: what there is, and the form that changes it.
  private static func part(_ label: String, _ value: HTML, _ act: String, isOpen: Bool, _ content: HTML) -> HTML {
    """
    <li><details name="part"\(isOpen ? " open" as HTML : "")>
    <summary><span class="row"><span><span class="dim">\(label)</span><br><span class="name">\(value)</span></span> \
    <span class="act">\(act)</span></span></summary>
    <div class="edit">\(content)</div>
    </details></li>
    """
  }

  private static func change(_ frame: PageFrame, _ action: AccountAction, _ content: HTML) -> HTML {
    form(frame, to: .account, hidden: [("action", action.rawValue)], content)
  }

  private static func nameRow(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts
    let problem = problem(model, of: .name)
    let content = change(
      frame, .name,
      """
      \(messages(frame, problem: problem))
      \(input(
        frame,
        InputField(
          field: .name, label: texts.common.name, autocomplete: "name", value: problem == nil ? model.name : model.edited,
          attributes: " maxlength=\"200\" dir=\"auto\"", hint: texts.signUp.nameHint, problem: problem)))
      \(button("save-name", texts.account.save))
      """)
    return part(texts.common.name, named(model.name), texts.account.change, isOpen: problem != nil, content)
  }

  private static func emailRow(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts
    let problem = problem(model, of: .email)
    let content = change(
      frame, .email,
      """
      \(messages(frame, problem: problem))
      \(email(
        frame, label: texts.account.newEmail, value: problem == nil ? "" : model.edited, autocomplete: "email",
        hint: texts.account.newEmailHint, problem: problem))
      \(currentPassword(frame, id: "email-current-password", problem: problem))
      \(button("save-email", texts.account.sendCode))
      """)
    return part(
      texts.common.email, address(model.email), texts.account.change, isOpen: problem != nil,
      content)
  }

  private static func passwordRow(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts
    let problem = problem(model, of: .password)
    let content = change(
      frame, .password,
      """
      \(messages(frame, problem: problem))
      <input type="email" autocomplete="username" value="\(model.email)" aria-label="\(texts.common.email)" readonly hidden>
      \(currentPassword(frame, id: "current_password", problem: problem))
      \(newPassword(frame, label: texts.account.newPassword, minimum: model.minimumLength, problem: problem))
      \(button("save-password", texts.account.save))
      """)
    return part(
      texts.common.password, "<span aria-hidden=\"true\">••••••••</span>", texts.account.change, isOpen: problem != nil,
      content)
  }

  private static func passkeySection(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts
    let times = texts.times
    let rows = model.passkeys.map { passkey in
      let added = texts.account.added(Moment(time: passkey.addedAt, now: model.now).said(in: times))
      let used = passkey.lastUsedAt.map { time in
        " · <span class=\"bit\">\(texts.account.lastUsed(Moment(time: time, now: model.now).said(in: times)))</span>"
          as HTML
      }
      return """
        <li><details name="part">
        <summary><span class="row"><span><span class="name">\(named(passkey.name))</span><br>\
        <span class="dim"><span class="bit">\(added)</span>\(used ?? "")</span></span> <span class="act">\(texts.account.remove)</span></span></summary>
        <div class="edit"><p>\(texts.account.removeText)</p>
        \(form(
          frame, to: .account,
          hidden: [("action", AccountAction.removePasskey.rawValue), ("passkey", passkey.id)],
          "<button class=\"danger\">\(texts.account.removeButton)</button>"))</div>
        </details></li>
        """ as HTML
    }
    let list: HTML =
      rows.isEmpty
      ? "<p class=\"dim\">\(texts.account.noPasskeys)</p>" : "<ul class=\"list\" id=\"passkey-list\">\(rows)</ul>"
    return """
      <section aria-labelledby="passkeys"><h2 id="passkeys">\(texts.account.passkeys)</h2>
      \(list)
      <p class="after"><a class="button second" id="to-passkey" href="\(PagePath.passkey.link(frame.visit))">\
      \(Icons.passkey)<span>\(texts.account.addPasskey)</span></a></p>
      </section>
      """
  }

  private static func sessionSection(_ frame: PageFrame, _ model: AccountModel) -> HTML {
    let texts = frame.language.texts.account
    let rows = model.sessions.map { session in
      let browser = Browser.name(session.userAgent, frame.language)
      let used = Moment(time: session.lastUsedAt, now: model.now).said(in: frame.language.texts.times)
      let end = form(
        frame, to: .account, hidden: [("action", AccountAction.signOutSession.rawValue), ("session", session.id)],
        "<button class=\"plain\" aria-label=\"\(texts.signOutOf(browser))\">\(texts.signOut)</button>")
      return """
        <li class="row"><span><span class="name">\(browser)</span><br>\
        <span class="dim"><span class="bit">\(used)</span> · <bdi class="bit">\(session.address)</bdi></span></span>
        \(session.isCurrent ? "<span class=\"badge\">\(texts.thisBrowser)</span>" : end)</li>
        """ as HTML
    }
    let everywhere = form(
      frame, to: .account, hidden: [("action", AccountAction.signOutEverywhere.rawValue)],
      button("sign-out-everywhere", texts.everywhereButton, style: " class=\"danger\""))
    return """
      <section aria-labelledby="sessions"><h2 id="sessions">\(texts.sessions)</h2>
      <ul class="list" id="session-list">\(rows)
      <li><details name="part"><summary><span class="row"><span class="act">\(texts.everywhere)</span></span></summary>
      <div class="edit"><p>\(texts.everywhereText)</p>\(everywhere)</div></details></li></ul>
      <div class="after">\(form(
        frame, to: .account, hidden: [("action", AccountAction.signOut.rawValue)],
        button("sign-out", texts.signOut, style: " class=\"second\"")))</div>
      </section>
      """
  }
}
