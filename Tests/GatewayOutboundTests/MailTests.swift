import GatewayBase
import GatewayIO
import GatewayTLS
import GatewayTesting
import Glibc
import Testing

@testable import GatewayOutbound

private let host = HostName(literal: "api.example.com")

private func letter(
  _ subject: String = "Your code", text: String = "Hello\n", html: String? = nil,
  to recipient: String = "ada@example.org",
  id: String = "0a1b2c"
) throws -> MailLetter {
  try MailLetter(
    from: #require(MailAddress("no-reply@example.com")), to: #require(MailAddress(recipient)), subject: subject,
    text: text, html: html, id: id, host: host, at: UnixTime(seconds: 1_796_635_800))
}

extension MailLetter {
  fileprivate var text: String { String(decoding: message, as: UTF8.self) }
}

@Suite("Letters") struct MailLetterTests {
  @Test("a letter says when, from whom, to whom and what, in lines that end in CRLF")
  func plain() throws {
    let message = try letter(text: "Hello\n\n.\nBye").text
    #expect(
      message == """
        Date: Mon, 07 Dec 2026 09:30:00 +0000\r
        From: <no-reply@example.com>\r
        To: <ada@example.org>\r
        Subject: Your code\r
        Message-ID: <0a1b2c@api.example.com>\r
        MIME-Version: 1.0\r
        Auto-Submitted: auto-generated\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: quoted-printable\r
        \r
        Hello\r
        \r
        .\r
        Bye\r

        """)
  }

  @Test("text and HTML are two parts, of which a reader shows one")
  func alternative() throws {
    let message = try letter(text: "Grüße", html: "<p class=\"a\">Grüße</p>").text
    #expect(message.contains("Content-Type: multipart/alternative; boundary=\"=_0a1b2c\"\r\n\r\n--=_0a1b2c\r\n"))
    #expect(
      message.contains(
        "text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n--=_0a1b2c\r\n"
      ))
    #expect(message.contains("\r\n\r\n<p class=3D\"a\">Gr=C3=BC=C3=9Fe</p>\r\n--=_0a1b2c--\r\n"))
  }

  @Test(
    "whatever is written, all lines are ASCII, short and end in CRLF",
    arguments: [
      "a", "ä", "é\u{301}", "漢字", "🔑", " ", "\t", "=", ".", "\r", "a \nb\t\n", "\r\n", "x\r\ny", "\u{0}", "\u{2028}",
    ])
  func lines(_ piece: String) throws {
    let text = String(repeating: piece, count: 200)
    let subject =
      piece.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 } ? "s" : String(text.prefix(90))
    let message = try letter(subject, text: text, html: text).message
    #expect(message.allSatisfy { $0 < 0x7F })
    let rest = Array(String(decoding: message, as: UTF8.self).replacing("\r\n", with: "").utf8)
    #expect(!rest.contains(0x0D) && !rest.contains(0x0A))
    let lines = String(decoding: message, as: UTF8.self).components(by: "\r\n")
    for line in lines { #expect(line.utf8.count <= 76, "\(line)") }
    #expect(lines.filter { $0.hasPrefix("Subject:") }.count == 1)
    // A blank at a line's end could be lost on the way.
    let body = lines.drop { !$0.isEmpty }
    #expect(body.allSatisfy { !$0.hasSuffix(" ") && !$0.hasSuffix("\t") })
  }

  @Test(
    "quoted-printable comes back as it was",
    arguments: ["Grüße = 1+1\nzwei  \n\nEnde ", String(repeating: "wide ä ", count: 40)])
  func quoted(_ text: String) {
    let written = QuotedPrintable.text(text)
    var bytes: [UInt8] = []
    var rest = Array(written.replacing("=\r\n", with: "").replacing("\r\n", with: "\n").utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "=") {
        bytes += Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self).lowercased().utf8) ?? []
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test("a subject in other letters is written in words of RFC 2047")
  func subjects() throws {
    #expect(
      try letter("Dein Code für Notizen").text.contains("Subject: =?utf-8?B?RGVpbiBDb2RlIGbDvHIgTm90aXplbg==?=\r\n"))
    // Looks like such a word, and would be shown as another text.
    #expect(try letter("=?utf-8?B?QQ==?=").text.contains("Subject: =?utf-8?B?PT91dGYtOD9CP1FRPT0/PQ==?=\r\n"))
    let long = try letter(String(repeating: "漢", count: 60)).text
    let words = long.components(by: "\r\n").filter { $0.contains("=?utf-8?B?") }
    #expect(words.count > 2 && words.dropFirst().allSatisfy { $0.hasPrefix(" =?") && $0.utf8.count <= 76 })
  }

  @Test(
    "no text gets a line of its own into the head",
    arguments: [
      "a\r\nBcc: eve@example.org", "a\nb", "a\rb", "a\u{0}", "a\u{85}b", "a\u{2028}b",
      String(repeating: "s", count: 501),
    ])
  func injection(_ subject: String) {
    #expect(throws: MailLetter.Problem.subject) { try letter(subject) }
  }

  @Test("a letter has its bound")
  func size() throws {
    let text = String(repeating: "a", count: Limits.mail)
    _ = try letter(text: text)
    #expect(throws: MailLetter.Problem.tooLarge) { try letter(text: text, html: "b") }
  }
}

extension String {
  fileprivate func components(by separator: String) -> [String] {
    var (parts, rest) = ([String](), self[...])
    // By bytes: CRLF is one character.
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

@Suite("Sending mail") struct MailerTests {
  private let logger = Logger(level: .error)

  private func mailer(
    _ relay: LoopbackRelay, login: MailRelay.Login? = nil, pauses: [UInt64] = [], limit: Int = 10
  ) throws -> Mailer {
    try Mailer(
      relay: MailRelay(url: relay.url, greeting: host, login: login), queueLimit: limit, pauses: pauses,
      logger: logger)
  }

  private func wait(_ what: String, _ isSo: () -> Bool) async throws {
    for _ in 0..<1000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("\(what) did not happen")
  }

  @Test("a letter reaches its recipient as it was written, over one connection for several")
  func sends() async throws {
    let relay = LoopbackRelay()
    let mailer = try mailer(relay)
    let letters = [try letter(text: ".\n..\nGrüße"), try letter("Noch einer", to: "bob@example.org")]
    for letter in letters { try mailer.send(letter) }
    try await wait("sending") { mailer.figures.sent == 2 }
    #expect(
      relay.letters == [
        LoopbackRelay.Letter(
          connection: 1, sender: "MAIL FROM:<no-reply@example.com>", recipients: ["RCPT TO:<ada@example.org>"],
          message: letters[0].text),
        LoopbackRelay.Letter(
          connection: 1, sender: "MAIL FROM:<no-reply@example.com>", recipients: ["RCPT TO:<bob@example.org>"],
          message: letters[1].text),
      ])
    #expect(relay.commands.first == "EHLO api.example.com")
    #expect(mailer.figures == Mailer.Figures(sent: 2, failed: 0, waiting: 0))
  }

  @Test("the gateway says who it is where it is told to")
  func login() async throws {
    let relay = LoopbackRelay()
    let mailer = try mailer(
      relay, login: MailRelay.Login(username: "gateway", password: Secret("open sesame".utf8)))
    try mailer.send(try letter())
    try await wait("sending") { mailer.figures.sent == 1 }
    let said = relay.commands.joined(separator: "\n")
    #expect(said.contains("AUTH PLAIN"))
    #expect(said.contains("AGdhdGV3YXkAb3BlbiBzZXNhbWU="))
  }

  @Test("what the relay can't take now it takes later, and what it will never take is not tried again")
  func retries() async throws {
    let calls = Locked(0)
    let relay = LoopbackRelay { command in
      if command.contains("nobody@") { return "550 no such person" }
      guard command.hasPrefix("RCPT") else { return nil }
      return calls.withLock { calls in
        calls += 1
        return calls < 3 ? "451 later" : nil
      }
    }
    let mailer = try mailer(relay, pauses: [1, 1])
    try mailer.send(try letter())
    try mailer.send(try letter(to: "nobody@example.org"))
    try await wait("sending") { mailer.figures == Mailer.Figures(sent: 1, failed: 1, waiting: 0) }
    #expect(relay.letters.count == 1 && calls.withLock { $0 } == 3)
    #expect(relay.commands.count { $0.contains("nobody@") } == 1)
  }

  @Test("a letter is given up after its last try, and the line of the log names nobody")
  func givesUp() async throws {
    var log: [Int32] = [-1, -1]
    #expect(unsafe pipe(&log) == 0)
    defer { for end in log { close(end) } }
    let relay = LoopbackRelay { $0 == "." ? "452 full, ada@example.org" : nil }
    let mailer = try Mailer(
      relay: MailRelay(url: relay.url, greeting: host, login: nil), pauses: [1, 1],
      logger: Logger(descriptor: log[1], level: .warning))
    try mailer.send(try letter())
    try await wait("giving up") { mailer.figures.failed == 1 }
    #expect(relay.commands.count { $0 == "DATA" } == 3)
    var block = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(log[0], &block, block.count)
    let line = String(decoding: block.prefix(max(0, count)), as: UTF8.self)
    #expect(line.contains("a letter was given up") && line.contains("452") && line.contains("\"attempts\":3"))
    #expect(!line.contains("ada") && !line.contains("example.org"))
  }

  @Test(
    "a greeting, a name or a login that the relay does not like is no verdict on the letter",
    arguments: ["", "EHLO", "AUTH", "MAIL"])
  func relayTrouble(_ command: String) async throws {
    let isBad = Locked(true)
    let relay = LoopbackRelay { said in
      guard isBad.withLock({ $0 }), command.isEmpty ? said.isEmpty : said.hasPrefix(command) else { return nil }
      return command == "MAIL" ? "530 say who you are" : "554 not now"
    }
    let mailer = try mailer(
      relay, login: MailRelay.Login(username: "u", password: Secret("p".utf8)),
      pauses: [UInt64](repeating: 200, count: 50))
    try mailer.send(try letter())
    try await wait("trouble") {
      relay.commands.contains { $0.hasPrefix(command.isEmpty ? "" : command) } || command.isEmpty
    }
    try await Task.sleep(for: .milliseconds(50))
    isBad.withLock { $0 = false }
    try await wait("sending") { mailer.figures.sent == 1 }
    #expect(relay.letters.count == 1)
  }

  @Test("beyond its bound the queue takes no more")
  func bound() async throws {
    let gate = Locked(false)
    let queued = Mailer(queueLimit: 2, pauses: [], logger: logger) { _ in
      while !gate.withLock({ $0 }) { _ = usleep(1000) }
    }
    try queued.send(try letter())
    try await wait("sending") { queued.figures.waiting == 1 }
    try queued.send(try letter())
    // The first one may still be in the queue or on its way.
    var refused = false
    let letter = try letter()
    for _ in 0..<2 {
      do throws(Mailer.Failure) { try queued.send(letter) } catch { refused = true }
    }
    #expect(refused)
    gate.withLock { $0 = true }
    try await wait("the rest") { queued.figures.waiting == 0 }
  }

  @Test("the end waits for the last letters and tells how many were lost")
  func finish() async throws {
    let relay = LoopbackRelay { $0.contains("late@") ? "451 later" : nil }
    let mailer = try mailer(relay, pauses: [60_000])
    try mailer.send(try letter(to: "late@example.org"))
    try await wait("the first try") { relay.commands.contains { $0.contains("late@") } }
    try mailer.send(try letter())
    let lost = await Thread.run(name: "finish") { mailer.finish(milliseconds: 5000) }
    #expect(lost == 1)
    #expect(relay.letters.count == 1)
    #expect(throws: Mailer.Failure.full) { try mailer.send(try letter()) }
  }

  @Test("over TLS a letter goes to a relay whose certificate is trusted and of its name, and to no other")
  func encryption() async throws {
    let folder = try TemporaryFolder()
    for (name, host) in [("good", "IP:127.0.0.1"), ("foreign", "DNS:mail.example.com")] {
      let certificate = try TestCertificate(names: [host])
      try folder.write("\(name).pem", certificate.certificate)
      try folder.write("\(name).key", certificate.key, mode: 0o600)
    }
    func attempt(_ name: String, trusting authorities: String?) async throws -> (Mailer.Figures, LoopbackRelay) {
      let identity = try TLSIdentityFiles.read(
        certificate: folder.path("\(name).pem"), key: folder.path("\(name).key"))
      let relay = LoopbackRelay(
        tls: try TLSContext(identities: [identity], protocols: [.http1], tickets: TLSTicketKeys()))
      var address = MailRelay(url: try relay.url, greeting: host, login: nil)
      address.authorities = authorities.map { folder.path("\($0).pem") }
      let mailer = try Mailer(relay: address, pauses: [], logger: logger)
      try mailer.send(try letter())
      try await wait("an attempt") { mailer.figures.waiting == 0 }
      return (mailer.figures, relay)
    }
    let (sent, relay) = try await attempt("good", trusting: "good")
    #expect(sent == Mailer.Figures(sent: 1))
    let text = try letter().text
    #expect(relay.letters.map(\.message) == [text])
    for (name, authorities) in [("good", nil), ("good", "foreign"), ("foreign", "foreign")] as [(String, String?)] {
      let (refused, relay) = try await attempt(name, trusting: authorities)
      #expect(refused == Mailer.Figures(failed: 1) && relay.commands.isEmpty)
    }
  }

  @Test("a relay that speaks no TLS where it should gets nothing")
  func plainRelay() async throws {
    let relay = LoopbackRelay()
    let url = try ServiceURL("smtps://127.0.0.1:\(try relay.url.port)", schemes: [.smtps])
    let mailer = try Mailer(relay: MailRelay(url: url, greeting: host, login: nil), pauses: [], logger: logger)
    try mailer.send(try letter())
    relay.stop()
    try await wait("an attempt") { mailer.figures.failed == 1 }
    #expect(relay.letters.isEmpty)
  }

  @Test("a relay that is not there fails the attempt, and nothing else")
  func unreachable() async throws {
    let relay = LoopbackRelay()
    let mailer = try mailer(relay)
    relay.stop()
    try mailer.send(try letter())
    try await wait("giving up") { mailer.figures.failed == 1 }
  }
}
