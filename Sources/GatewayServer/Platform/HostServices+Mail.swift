import GatewayBase
import GatewayConfig
import GatewayOutbound
import ProviderKit

extension HostServices {
  func send(_ mail: ProviderMail) async throws(CallFailure) {
    guard let means = host.means else { throw CallFailure("a command sends no mail") }
    guard let mailer = means.mailer, let sender = host.configuration.mail?.from else {
      throw CallFailure("no mail relay is configured")
    }
    guard let recipient = MailAddress(international: mail.recipient) else {
      throw CallFailure("the recipient's address is none")
    }
    var generator = SystemRandomNumberGenerator()
    let letter: MailLetter
    do throws(MailLetter.Problem) {
      letter = try MailLetter(
        from: sender, to: recipient, subject: mail.subject, text: mail.text, html: mail.html?.markup,
        id: Hex.encode(generator.bytes(16)), host: host.configuration.platform.mailHost, at: host.clock.now)
    } catch {
      switch error {
      case .subject: throw CallFailure("the subject is no line")
      case .tooLarge: throw CallFailure("the letter is too large")
      }
    }
    do throws(Mailer.Failure) {
      try mailer.send(letter)
    } catch {
      throw CallFailure("too many letters wait")
    }
  }
}
