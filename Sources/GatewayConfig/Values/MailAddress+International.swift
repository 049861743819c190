import GatewayBase

extension MailAddress {
  /// The address that a person wrote, whose domain may be in any script (`HostName.init(international:)`).
  package init?(international text: String) { self.init(text) { HostName(international: $0) } }
}
