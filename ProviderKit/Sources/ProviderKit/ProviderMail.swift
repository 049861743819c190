/// A letter that the gateway sends for a provider.
public struct ProviderMail: Sendable, Hashable, Codable, Redacted {
  /// The address that it goes to: one, without a name.
  public let recipient: String
  /// One line.
  public let subject: String
  /// The text as lines of any length, separated by `\n`.
  public let text: String
  /// The same as HTML, for readers that show it; nil for none.
  public let html: HTML?

  /// Makes a letter.
  public init(to recipient: String, subject: String, text: String, html: HTML? = nil) {
    self.recipient = recipient
    self.subject = subject
    self.text = text
    self.html = html
  }
}
