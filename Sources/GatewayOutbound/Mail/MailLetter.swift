import GatewayBase

/// A letter as it is handed to the relay: an Internet message (RFC 5322, MIME) of ASCII lines that end in CRLF.
package struct MailLetter: Sendable {
  /// Why there is no letter.
  package enum Problem: Error, Sendable, Equatable {
    /// The subject has a control character, as a line's end, or over 500 bytes.
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
    guard subject.utf8.count <= 500, subject.unicodeScalars.allSatisfy({ !Self.isControl($0) }) else {
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

/// Dates of mail (RFC 5322 section 3.3), in UTC.
enum MailDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Mon, 07 Dec 2026 09:30:00 +0000`.
  static func text(_ time: UnixTime) -> String {
    // `2026-12-07T09:30:00Z`
    let parts = time.rfc3339.split { "-T:Z".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), (1...12).contains(month) else { return "" }
    let day = days[Int(((time.seconds / 86_400) % 7 + 7) % 7)]
    return "\(day), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
  }
}

/// Texts of a header's field in other letters than ASCII (RFC 2047).
enum EncodedWords {
  private static let lineLength = 76
  /// `=?utf-8?B?` and `?=`.
  private static let around = 12

  /// The text as it is where it is short and plain, else as encoded words, a line for each.
  ///
  /// - Parameter column: what stands before it on the line.
  static func text(_ text: String, after column: Int) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain, text.utf8.count + column <= lineLength, !text.contains("=?"), !text.hasPrefix(" "), !text.hasSuffix(" ")
    {
      return text
    }
    var words: [[UInt8]] = [[]]
    // Lines that follow begin with a blank.
    var room = (lineLength - column - around) / 4 * 3
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if words[words.count - 1].count + bytes.count > room {
        words.append([])
        room = (lineLength - 1 - around) / 4 * 3
      }
      words[words.count - 1] += bytes
    }
    return words.map { "=?utf-8?B?\(padded(Base64URL.encode($0)))?=" }.joined(separator: "\r\n ")
  }

  private static func padded(_ text: String) -> String {
    let letters = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    return String(decoding: letters, as: UTF8.self)
      + String(repeating: "=", count: (4 - letters.count % 4) % 4)
  }
}

/// Quoted-printable (RFC 2045 section 6.7): lines of 76 signs at most, of ASCII.
enum QuotedPrintable {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// - Parameter text: lines separated by LF or CRLF.
  static func text(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + bytes.count / 8)
    var column = 0
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: "\n")
      if byte == UInt8(ascii: "\n") {
        out += [0x0D, 0x0A]
        column = 0
        continue
      }
      if byte == 0x0D, next == UInt8(ascii: "\n"), index + 1 < bytes.count { continue }
      let isBlank = byte == 0x20 || byte == 0x09
      let isEnd = next == UInt8(ascii: "\n") || (next == 0x0D && index + 2 < bytes.count && bytes[index + 2] == 0x0A)
      let isPlain = isBlank ? !isEnd : (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "=")
      let written =
        isPlain ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      // One sign is left for the `=` that says that the line goes on.
      if column + written.count > 75 {
        out += [UInt8(ascii: "="), 0x0D, 0x0A]
        column = 0
      }
      out += written
      column += written.count
    }
    return String(decoding: out, as: UTF8.self)
  }
}
