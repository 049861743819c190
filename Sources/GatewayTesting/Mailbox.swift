import GatewayBase
import GatewayIO

/// A mail relay on 127.0.0.1 that takes letters for everybody and keeps them.
package final class Mailbox: Sendable {
  package let port: UInt16
  private let acceptor: Acceptor
  private let letters: Locked<[(recipient: String, text: String)]>

  package init() throws {
    let (listener, port) = try Loopback.listen()
    self.port = port
    let letters = Locked<[(recipient: String, text: String)]>([])
    self.letters = letters
    acceptor = Acceptor(listener, name: "test-mailbox") { socket in
      Thread.start(name: "test-mailbox-letter") { try? Self.converse(socket, letters) }
    }
  }

  /// The code in the newest letter to an address, on a line of its own; waits for the first letter.
  package func code(to recipient: String) throws -> String {
    var text: String?
    _ = eventually {
      text = letters.withLock { $0.last { $0.recipient == recipient }?.text }
      return text != nil
    }
    guard let text else { throw TestFailure("no letter came") }
    guard let line = text.split(whereSeparator: \.isNewline).first(where: { Self.isCode($0) }) else {
      throw TestFailure("the letter has no code")
    }
    return line.filter(\.isWholeNumber)
  }

  private static func isCode(_ line: Substring) -> Bool {
    let digits = line.filter(\.isWholeNumber).count
    return digits >= 6 && line.allSatisfy { $0.isWholeNumber || $0 == " " }
  }

  private static func converse(
    _ socket: StreamSocket, _ letters: Locked<[(recipient: String, text: String)]>
  ) throws {
    let deadline = Deadline(seconds: Patience.seconds)
    var pending: [UInt8] = []
    func say(_ text: String) throws { try socket.send(Array("\(text)\r\n".utf8), deadline: deadline) }
    func line() throws -> String? {
      while true {
        if let end = pending.firstIndex(of: 0x0A) {
          let line = String(decoding: pending[..<end], as: UTF8.self)
          pending.removeSubrange(...end)
          return line.hasSuffix("\r") ? String(line.dropLast()) : line
        }
        let bytes = try socket.receive(deadline: deadline)
        if bytes.isEmpty { return nil }
        pending += bytes
      }
    }
    try say("220 mailbox")
    var recipients: [String] = []
    while let command = try line() {
      switch command.prefix(4).uppercased() {
      case "EHLO": try say("250-mailbox\r\n250 8BITMIME")
      case "RCPT":
        recipients.append(String(command.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }))
        try say("250 OK")
      case "DATA":
        try say("354 go on")
        var text = ""
        while let part = try line(), part != "." { text += part + "\n" }
        letters.withLock { letters in letters += recipients.map { ($0, text) } }
        recipients = []
        try say("250 kept")
      case "QUIT":
        try say("221 bye")
        return
      default: try say("250 OK")
      }
    }
  }
}
