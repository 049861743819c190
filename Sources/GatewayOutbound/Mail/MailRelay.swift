import GatewayBase

/// The server that takes our letters.
package struct MailRelay: Sendable {
  /// `smtps://host:port`, or `smtp://` on this machine.
  package let url: ServiceURL
  /// The name that we say at its door.
  package let greeting: HostName
  /// Who we are there; nil where it asks nobody.
  package let login: Login?
  /// A file of certificates (PEM) to verify the relay by instead of the system's.
  package var authorities: String?

  package struct Login: Sendable {
    package let username: String
    package let password: Secret

    package init(username: String, password: Secret) {
      self.username = username
      self.password = password
    }
  }

  package init(url: ServiceURL, greeting: HostName, login: Login?) {
    self.url = url
    self.greeting = greeting
    self.login = login
  }
}

/// Why a letter was not taken. Its text names no address, so that it may be logged.
package struct MailFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  /// Whether the relay refused this letter for good.
  package let isFinal: Bool

  package init(_ description: String, isFinal: Bool = false) {
    self.description = description
    self.isFinal = isFinal
  }
}
