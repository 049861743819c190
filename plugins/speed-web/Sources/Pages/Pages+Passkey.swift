import ProviderKit

extension Pages {
  /// Making a passkey on this device.
  static func addPasskey(_ frame: PageFrame, _ model: AddPasskeyModel) -> HTML {
    let texts = frame.language.texts.passkey
    let suggested = model.name.isEmpty ? Browser.name(frame.request.userAgent, frame.language) : model.name
    let attributes: HTML = """
       id="passkey" class="needs-passkeys" data-challenge="\(ByteText.base64URL(model.prompt.challenge))" \
      data-party="\(model.prompt.relyingParty)" data-handle="\(ByteText.base64URL(model.userHandle))" \
      data-user="\(model.email)" data-person="\(model.displayName)" \
      data-known="\(model.excluded.map { ByteText.base64URL($0) }.joined(separator: " "))" \
      data-exists="\(texts.exists)" data-failed="\(texts.failed)"
      """
    return page(
      frame, title: texts.heading, hasProblem: model.problem != nil, script: Scripts.register,
      """
      <div class="top"><div class="tile speed">\(Icons.passkey)</div></div>
      <h1>\(texts.heading)</h1>
      <p class="lead">\(texts.lead)</p>
      \(messages(frame, problem: model.problem))
      <p class="alert no-passkeys" id="no-passkeys">\(texts.unsupported)</p>
      \(form(
        frame, to: .account,
        hidden: [("action", AccountAction.addPasskey.rawValue), ("client_data", ""), ("attestation", "")],
        attributes: attributes,
        """
        <p class="alert" id="passkey-failure" role="alert" hidden></p>
        \(input(
          frame,
          InputField(
            field: .name, label: texts.name, autocomplete: "off", value: suggested,
            attributes: " maxlength=\"100\" dir=\"auto\"", hint: texts.nameHint, problem: model.problem)))
        \(button("add-passkey", texts.button))
        """))
      <p class="aside"><a id="to-account" href="\(PagePath.account.link(frame.visit))">\(texts.back)</a></p>
      """)
  }
}
