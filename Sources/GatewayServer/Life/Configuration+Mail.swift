import GatewayBase
import GatewayConfig
import GatewayOutbound
import GatewayPlugins

// What a start makes of the mail relay.

extension PlatformConfiguration {
  /// By which the gateway names itself in mail.
  var mailHost: HostName { HostName(publicURL.host.bracketed) ?? HostName(literal: "localhost") }
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
  ///
  /// - Parameter old: the plugins of before, of which that was said.
  func warnOfMissingMail(
    for directory: AppDirectory, _ plugins: PluginCatalog, after old: PluginCatalog? = nil, _ logger: Logger
  ) {
    guard mail == nil else { return }
    let known = old?.plugins.filter(\.sendsMail).map(\.name) ?? []
    for plugin in plugins.plugins where plugin.sendsMail && !known.contains(plugin.name) {
      let apps = directory.apps.values.count { $0.configuration.providers.contains(plugin.name) }
      guard apps > 0 else { continue }
      logger.warning(
        "a plugin sends mail, and no mail relay is configured", .text("plugin", plugin.name), .integer("apps", apps))
    }
  }
}
