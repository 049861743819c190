import GatewayBase

/// A letter as it is handed to the relay: an Internet message (RFC 5322, MIME) of ASCII lines that end in CRLF.
package struct MailLetter: Sendable {
  /// Why there is no letter.
  package enum Problem: Error, Sendable, Equatable {
    /// The subject has a control character, as a line's end, or over `Limits.mailSubject` bytes.
    case subject
    /// The text and the HTML together are over `Limits.mail`.
    case tooLarge
  }

  package let sender: MailAddress
  package let recipient: MailAddress
  package let message: [UInt8]

  /// - Parameters:
  ///   - html: the same as the text for readers that show it; nil for none.
  ///   - id: a text of letters and digits that no other letter has.
  ///   - host: whose name the letter's id ends in.
  package init(
    from sender: MailAddress, to recipient: MailAddress, subject: String, text: String, html: String?,
    id: String, host: HostName, at time: UnixTime
  ) throws(Problem) {
    guard subject.utf8.count <= Limits.mailSubject, subject.unicodeScalars.allSatisfy({ !Self.isControl($0) }) else {
      throw .subject
    }
    guard text.utf8.count + (html?.utf8.count ?? 0) <= Limits.mail else { throw .tooLarge }
    self.sender = sender
    self.recipient = recipient
    var lines = [
      "Date: \(MailDate.text(time))", "From: <\(sender.text)>", "To: <\(recipient.text)>",
      "Subject: \(EncodedWords.text(subject, after: "Subject: ".utf8.count))", "Message-ID: <\(id)@\(host)>",
      "MIME-Version: 1.0",
      // RFC 3834: no note of absence comes back.
      "Auto-Submitted: auto-generated",
    ]
    if let html {
      // It can't be a line of what it parts: quoted-printable has no `=_`.
      let boundary = "=_\(id)"
      lines.append("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
      lines.append("")
      for (type, part) in [("plain", text), ("html", html)] {
        lines.append("--\(boundary)")
        lines += Self.part(type, part)
      }
      lines.append("--\(boundary)--")
    } else {
      lines += Self.part("plain", text)
    }
    message = Array(lines.joined(separator: "\r\n").utf8) + [0x0D, 0x0A]
  }

  private static func part(_ type: String, _ text: String) -> [String] {
    [
      "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
      QuotedPrintable.text(text),
    ]
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
