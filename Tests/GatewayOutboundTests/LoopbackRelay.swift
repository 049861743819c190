import GatewayBase
import GatewayTLS
import Glibc

/// A mail relay on 127.0.0.1 that keeps what it gets, and refuses what a test wants refused.
final class LoopbackRelay: Sendable {
  /// What it was given.
  struct Letter: Sendable, Equatable {
    let connection: Int
    let sender: String
    let recipients: [String]
    /// Without the dots that SMTP adds.
    let message: String
  }

  /// The answer to a command in place of the usual one; nil for that.
  typealias Script = @Sendable (_ command: String) -> String?

  private struct State {
    var letters: [Letter] = []
    var commands: [String] = []
  }

  private let listener: LoopbackListener
  private let state = Locked(State())
  private let isEncrypted: Bool

  /// - Parameter tls: what it speaks from the first byte; nil for plain SMTP.
  init(tls: TLSContext? = nil, _ script: @escaping Script = { _ in nil }) {
    let state = state
    isEncrypted = tls != nil
    listener = LoopbackListener { socket, number in
      if let wire = RelayWire(socket, tls) { Conversation(wire, number, state, script).run() }
      shutdown(socket, Int32(SHUT_RDWR))
    }
  }

  var url: ServiceURL {
    get throws {
      try ServiceURL("smtp\(isEncrypted ? "s" : "")://127.0.0.1:\(listener.port)", schemes: [.smtp, .smtps])
    }
  }

  var letters: [Letter] { state.withLock { $0.letters } }
  var commands: [String] { state.withLock { $0.commands } }

  func stop() { listener.stop() }

  private final class Conversation {
    let wire: RelayWire
    let number: Int
    let state: Locked<State>
    let script: Script
    var pending: [UInt8] = []

    init(_ wire: RelayWire, _ number: Int, _ state: Locked<State>, _ script: @escaping Script) {
      self.wire = wire
      self.number = number
      self.state = state
      self.script = script
    }

    func run() {
      say(script("") ?? "220 relay")
      var sender = ""
      var recipients: [String] = []
      var isLogin = false
      while let command = line() {
        state.withLock { $0.commands.append(command) }
        let answer = script(command)
        say(answer ?? (isLogin ? "235 welcome" : usual(command)))
        isLogin = !isLogin && answer == nil && command.hasPrefix("AUTH")
        if let answer, answer.hasPrefix("4") || answer.hasPrefix("5") { continue }
        switch command.prefix(4) {
        case "MAIL":
          sender = command
          recipients = []
        case "RCPT": recipients.append(command)
        case "DATA":
          guard let message = message() else { return }
          let answer = script(".") ?? "250 taken"
          if answer.hasPrefix("2") {
            let letter = Letter(connection: number, sender: sender, recipients: recipients, message: message)
            state.withLock { $0.letters.append(letter) }
          }
          say(answer)
        case "QUIT": return
        default: break
        }
      }
    }

    private func usual(_ command: String) -> String {
      switch command.prefix(4) {
      case "EHLO": "250-relay\r\n250 AUTH PLAIN"
      // The name and the password come on a line of their own.
      case "AUTH": "334 "
      case "DATA": "354 go on"
      case "QUIT": "221 bye"
      default: "250 ok"
      }
    }

    private func message() -> String? {
      var lines: [String] = []
      while let line = line() {
        if line == "." { return lines.map { $0 + "\r\n" }.joined() }
        lines.append(line.hasPrefix(".") ? String(line.dropFirst()) : line)
      }
      return nil
    }

    private func line() -> String? {
      while true {
        if let end = pending.firstIndex(of: 0x0A) {
          defer { pending.removeFirst(end + 1) }
          return String(decoding: pending[..<end].filter { $0 != 0x0D }, as: UTF8.self)
        }
        let bytes = wire.receive()
        guard !bytes.isEmpty else { return nil }
        pending += bytes
      }
    }

    private func say(_ answer: String) { wire.send(Array((answer + "\r\n").utf8)) }
  }
}
