import ProviderKit

/// The letters, each in the language of the browser that caused it. Nothing that a stranger could have written stands in
/// a letter to somebody else: of a visit there is the app's name alone, which is its owner's.
enum Letters {
  /// To a new address: the code and the link that prove who reads it.
  ///
  /// - Parameters:
  ///   - app: the name of the app that the browser was on its way to.
  ///   - link: an absolute URL.
  static func verification(
    _ language: Language, to recipient: String, app: String?, code: String, link: String, minutes: Int
  ) -> ProviderMail {
    let texts = language.letterTexts
    let text = app.map { texts.verificationForApp(oneLine($0)) } ?? texts.verification.text
    return Letter(
      language: language, wording: texts.verification, text: text, code: code, link: link,
      notes: [texts.validFor(minutes), texts.neverTell, texts.verification.otherwise]
    ).mail(to: recipient)
  }

  /// To the new address of an account: likewise.
  static func newAddress(
    _ language: Language, to recipient: String, code: String, link: String, minutes: Int
  ) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.newAddress, code: code, link: link,
      notes: [texts.validFor(minutes), texts.neverTell, texts.newAddress.otherwise]
    ).mail(to: recipient)
  }

  /// To an address that has an account, where somebody wanted to make one with it.
  static func addressInUse(
    _ language: Language, to recipient: String, signInLink: String, resetLink: String
  ) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.addressInUse, link: signInLink, secondLink: (texts.forgot, resetLink),
      notes: [texts.addressInUse.otherwise]
    ).mail(to: recipient)
  }

  /// The code and the link for a new password.
  static func reset(
    _ language: Language, to recipient: String, code: String, link: String, minutes: Int
  ) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.reset, code: code, link: link,
      notes: [texts.validFor(minutes), texts.neverTell, texts.reset.otherwise]
    ).mail(to: recipient)
  }

  /// To the address that an account had, which says of the new one as much as its owner needs to know it by.
  static func addressChanged(_ language: Language, to recipient: String, newAddress: String) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.addressChanged, text: texts.addressChangedTo(masked(newAddress)),
      notes: [texts.addressChanged.otherwise]
    ).mail(to: recipient)
  }

  /// After a passkey was added.
  static func passkeyAdded(
    _ language: Language, to recipient: String, passkey: String, accountLink: String
  ) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.passkeyAdded, text: texts.passkeyNamed(oneLine(passkey)), link: accountLink,
      notes: [texts.passkeyAdded.otherwise]
    ).mail(to: recipient)
  }

  /// After the password was changed, or set anew by a reset.
  static func passwordChanged(_ language: Language, to recipient: String, resetLink: String) -> ProviderMail {
    let texts = language.letterTexts
    return Letter(
      language: language, wording: texts.passwordChanged, link: resetLink, isLinkAfterNotes: true,
      notes: [texts.passwordChanged.otherwise]
    ).mail(to: recipient)
  }

  /// The first sign and the domain: `j•••@example.com`.
  static func masked(_ address: String) -> String {
    let address = oneLine(address)
    guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@" else { return "•••" }
    return "\(first)•••\(address[at...])"
  }

  /// A name without anything that could begin a line.
  private static func oneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: " "
          default: scalar
          }
        }))
  }
}

/// A letter as plain text and as HTML that says the same.
struct Letter {
  let language: Language
  let wording: LetterTexts.Wording
  /// In place of the wording's own.
  var text: String?
  var code: String?
  var link: String?
  var secondLink: (label: String, link: String)?
  /// Whether the link is what the notes speak of.
  var isLinkAfterNotes = false
  let notes: [String]

  func mail(to recipient: String) -> ProviderMail {
    ProviderMail(to: recipient, subject: wording.subject, text: plain, html: html)
  }

  private var brand: String { language.texts.common.brand }

  private var plain: String {
    var parts = [text ?? wording.text]
    if let code { parts.append("    " + code) }
    let links = [link.map { "\(wording.link):\n\($0)" }, secondLink.map { "\($0.label):\n\($0.link)" }].compactMap(
      \.self)
    parts += isLinkAfterNotes ? notes + links : links + notes
    parts.append("-- \n" + brand)
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Of what all readers of mail show: a table for the width, styles at the elements, and no colours but where a reader
  /// that turns them for the dark keeps them readable.
  private var html: HTML {
    let code = code.map { code in
      """
      <p style="margin:0 0 24px;padding:16px 8px;border:1px solid #868c99;border-radius:12px;text-align:center;\
      font-size:28px;line-height:1.2;letter-spacing:6px;font-weight:600"><span translate="no">\(code)</span></p>
      """ as HTML
    }
    let button = link.map { link in
      """
      <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr>\
      <td bgcolor="#2348dc" style="border-radius:12px;background:#2348dc">\
      <a href="\(link)" style="display:inline-block;padding:13px 24px;color:#ffffff;font-weight:600;\
      text-decoration:none">\(wording.link)</a></td></tr></table>
      """ as HTML
    }
    let second = secondLink.map { second in
      "<p style=\"margin:0 0 24px\"><a href=\"\(second.link)\">\(second.label)</a></p>" as HTML
    }
    let links = [button, second].compactMap(\.self)
    let notes = notes.map { "<p style=\"margin:0 0 16px;font-size:14px\">\($0)</p>" as HTML }
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="supported-color-schemes" content="light dark">
      <title>\(wording.subject)</title>
      </head>
      <body style="margin:0;padding:0">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px">
      <tr><td style="padding:32px 20px;text-align:left;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,\
      sans-serif;font-size:16px;line-height:1.5">
      <h1 style="margin:0 0 16px;font-size:24px;line-height:1.3">\(wording.subject)</h1>
      <p style="margin:0 0 24px">\(text ?? wording.text)</p>
      \(code ?? "")
      \(isLinkAfterNotes ? notes + links : links + notes)
      <p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #868c99;font-size:14px">\(brand)</p>
      </td></tr></table>
      </td></tr></table>
      </body>
      </html>

      """
  }
}
