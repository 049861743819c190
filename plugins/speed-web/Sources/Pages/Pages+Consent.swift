import ProviderKit

extension Pages {
  /// Asking whether an app may know who this is, or be linked to the account.
  static func consent(_ frame: PageFrame, _ model: ConsentModel) -> HTML {
    let texts = frame.language.texts.consent
    let app = frame.visit?.app.name ?? ""
    let isLinking = frame.visit?.isLinking == true
    let heading = isLinking ? texts.linkHeading(app) : texts.heading(app)
    let details = model.shared.map { detail in
      switch detail {
      case .name: "<li>\(Icons.person)<span>\(texts.name)</span></li>"
      case .photo: "<li>\(Icons.photo)<span>\(texts.photo)</span></li>"
      case .email: "<li>\(Icons.letter)<span>\(texts.email)</span></li>"
      } as HTML
    }
    return page(
      frame, title: heading, hasProblem: model.problem != nil,
      """
      \(top(frame, joining: speedTile))
      <h1>\(heading)</h1>
      \(messages(frame, problem: model.problem))
      <div class="person" role="group" aria-label="\(texts.signedInAs)">\(person(name: model.name, email: model.email))</div>
      \(form(
        frame, to: .signOut, attributes: " class=\"other\"",
        button("other-account", texts.otherAccount, style: " class=\"plain\"")))
      \(isLinking ? "<p>\(texts.linkLead(named(app)))</p>" as HTML : "")
      \(details.isEmpty ? "" : "<p class=\"before\">\(texts.shared(named(app)))</p><ul class=\"gets\">\(details)</ul>" as HTML)
      <p class="dim promise">\(Icons.lock)<span>\(texts.promise)</span></p>
      \(form(
        frame, to: .consent,
        """
        <button id="allow" name="decision" value="allow">\(isLinking ? texts.linkAllow : texts.allow)</button>
        <button id="deny" name="decision" value="deny" class="second">\(texts.deny)</button>
        """))
      """)
  }
}
