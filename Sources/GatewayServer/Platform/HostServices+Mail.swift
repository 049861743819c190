import GatewayBase
import GatewayConfig
import GatewayOutbound
import GatewayPlugins
import ProviderKit

extension HostServices {
  func send(_ mail: ProviderMail) async throws(CallFailure) {
    guard let means = host.means else { throw CallFailure("a command sends no mail") }
    guard let mailer = means.mailer, let settings = host.configuration.mail, let sender = settings.sender else {
      throw CallFailure("no mail relay is configured")
    }
    guard let recipient = MailAddress(mail.recipient, domain: { HostName(international: $0) }) else {
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

extension MailConfiguration {
  /// Nil where it is no address: the file is refused then.
  fileprivate var sender: MailAddress? { MailAddress(from, domain: { HostName(international: $0) }) }
}

extension PlatformConfiguration {
  /// By which the gateway names itself in mail.
  fileprivate var mailHost: HostName { HostName(publicURL.host.bracketed) ?? HostName(literal: "localhost") }
}

extension GatewayConfiguration {
  /// What sends the mail; nil where none is sent.
  ///
  /// - Throws: where libcurl can't be had.
  func mailer(environment: [String: String], logger: Logger) throws -> Mailer? {
    guard let mail else { return nil }
    var login: MailRelay.Login?
    if let username = mail.username {
      let password = mail.password?.resolve(environment: environment)
      if password == nil { logger.warning("the password of the mail relay is missing") }
      login = MailRelay.Login(username: username, password: password ?? Secret([]))
    }
    var relay = MailRelay(url: mail.smtp, greeting: platform.mailHost, login: login)
    relay.authorities = mail.authorities
    return try Mailer(relay: relay, logger: logger)
  }

  /// Says where apps list a plugin that sends mail, and the gateway sends none.
  func warnOfMissingMail(for directory: AppDirectory, _ plugins: PluginCatalog, _ logger: Logger) {
    guard mail == nil else { return }
    for plugin in plugins.plugins where plugin.sendsMail {
      let apps = directory.apps.values.count { $0.configuration.providers.contains(plugin.name) }
      guard apps > 0 else { continue }
      logger.warning(
        "a plugin sends mail, and no mail relay is configured", .text("plugin", plugin.name), .integer("apps", apps))
    }
  }
}
