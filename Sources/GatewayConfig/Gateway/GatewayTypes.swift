import GatewayBase

extension ValueType where Value == ListenerConfiguration {
  static var listener: ValueType {
    .mapping(ListenerKeys.schema) { reader in
      let (tls, isAnnounced) = (reader[ListenerKeys.tls], reader[ListenerKeys.proxyProtocol])
      return reader[ListenerKeys.address].map {
        ListenerConfiguration(address: $0, tls: tls, isAnnounced: isAnnounced)
      }
    }
  }
}

extension ValueType where Value == ListenerConfiguration.Certificate {
  static var certificate: ValueType {
    .mapping(CertificateKeys.schema) { reader in
      let key = reader[CertificateKeys.key]
      guard let certificate = reader[CertificateKeys.certificate], let key else { return nil }
      return ListenerConfiguration.Certificate(certificate: certificate, key: key)
    }
  }
}

extension ValueType where Value == AdminConfiguration {
  static var admin: ValueType {
    .mapping(AdminKeys.schema) { reader in
      let given = reader[AdminKeys.address]
      let address = given?.value ?? .loopback(port: 9901)
      if !address.isLoopback, !reader.has(AdminKeys.tokenEnv.row) {
        reader.diagnostics.error(
          .missingKey, at: given?.place ?? reader.place, "the admin listener is open to others, but has no `tokenEnv`",
          hint: "add tokenEnv, or bind it to 127.0.0.1")
      }
      return AdminConfiguration(address: address, token: reader[AdminKeys.tokenEnv])
    }
  }
}

/// `platform` before what it leaves open is worked out.
struct PlatformDraft: Sendable {
  var apiHosts: [HostName]?
  var dashHosts: [HostName]?
  var publicURL: ServiceURL?
}

extension ValueType where Value == PlatformDraft {
  static var platform: ValueType {
    .mapping(PlatformKeys.schema) { reader in
      let (api, dash) = (reader[PlatformKeys.apiHosts], reader[PlatformKeys.dashHosts])
      reader.diagnostics.checkUnique(api ?? [], "host")
      reader.diagnostics.checkUnique(dash ?? [], "host")
      return PlatformDraft(
        apiHosts: api?.map(\.value), dashHosts: dash?.map(\.value), publicURL: reader[PlatformKeys.publicURL])
    }
  }
}

extension ValueType where Value == StoreConfiguration {
  static var store: ValueType {
    .mapping(StoreKeys.schema) { reader in
      let password = reader.secret(StoreKeys.passwordEnv, StoreKeys.passwordFile, isRequired: false)
      let location = reader[StoreKeys.url] ?? .sqlite(path: reader.diagnostics.resolved("var/gateway.db", at: .start))
      return StoreConfiguration(location: location, password: password)
    }
  }
}

/// The folders of keys, where `tokens` names them.
struct TokenDraft: Sendable {
  let keys: String?
  let sealingKeys: String?
}

extension ValueType where Value == TokenDraft {
  static var tokens: ValueType {
    .mapping(TokenKeys.schema) { reader in
      let keys = reader[TokenKeys.keys]
      return TokenDraft(keys: keys, sealingKeys: reader[TokenKeys.sealingKeys])
    }
  }
}

extension ValueType where Value == AppleConfiguration {
  static var apple: ValueType {
    .mapping(AppleKeys.schema) { reader in
      AppleConfiguration(
        issuer: reader[AppleKeys.issuer], keysURL: reader[AppleKeys.keysURL], tokenURL: reader[AppleKeys.tokenURL],
        revokeURL: reader[AppleKeys.revokeURL], migrationURL: reader[AppleKeys.migrationURL])
    }
  }
}

extension AppleConfiguration {
  /// What is not given follows from the issuer.
  init(
    issuer: ServiceURL?, keysURL: ServiceURL? = nil, tokenURL: ServiceURL? = nil, revokeURL: ServiceURL? = nil,
    migrationURL: ServiceURL? = nil
  ) {
    let issuer = issuer ?? ServiceURL(scheme: .https, host: .name(HostName(literal: "appleid.apple.com")))
    self.issuer = issuer
    self.keysURL = keysURL ?? issuer.appending("/auth/keys")
    self.tokenURL = tokenURL ?? issuer.appending("/auth/token")
    self.revokeURL = revokeURL ?? issuer.appending("/auth/revoke")
    self.migrationURL = migrationURL ?? issuer.appending("/auth/usermigrationinfo")
  }
}

extension ValueType where Value == MailConfiguration {
  static var mail: ValueType {
    .mapping(MailKeys.schema) { reader in
      let (smtp, from, username) = (reader[MailKeys.smtp], reader[MailKeys.from], reader[MailKeys.username])
      let password = reader.secret(
        MailKeys.passwordEnv, MailKeys.passwordFile, isRequired: reader.has(MailKeys.username.row))
      if password != nil, !reader.has(MailKeys.username.row) {
        reader.diagnostics.error(
          .missingKey, at: reader.place, "a password for the relay, and no `username`",
          hint: "add username, or take the password away")
      }
      let sender = from.flatMap { MailAddress(international: $0) }
      if from != nil, sender == nil {
        reader.diagnostics.invalid(
          reader.place(of: MailKeys.from), "a relay takes no such sender",
          hint: "write one plain address, as no-reply@example.com")
      }
      let authorities = reader[MailKeys.authorities]
      guard let smtp, let sender else { return nil }
      return MailConfiguration(
        smtp: smtp, from: sender, username: username, password: password, authorities: authorities)
    }
  }
}

extension ValueType where Value == LogConfiguration {
  static var log: ValueType {
    .mapping(LogKeys.schema) { reader in
      LogConfiguration(
        format: reader[LogKeys.format].value, level: reader[LogKeys.level].value, access: reader[LogKeys.access])
    }
  }
}

extension ValueType where Value == AccessLogConfiguration {
  static var accessLog: ValueType {
    .mapping(AccessLogKeys.schema) { reader in
      AccessLogConfiguration(
        mode: reader[AccessLogKeys.mode], oneIn: Int(reader[AccessLogKeys.oneIn]), file: reader[AccessLogKeys.file])
    }
  }
}

/// Where a successor asks for the listeners, or that none may.
enum HandoverDraft: Sendable {
  case off
  case socket(String)
}

extension ValueType where Value == HandoverDraft {
  /// A path, or `none`.
  static var handover: ValueType {
    let path = ValueType<String>.path
    return ValueType(shape: path.shape) { node, diagnostics in
      if case .scalar("none", true) = node.content { return .off }
      return path.read(node, diagnostics).map(HandoverDraft.socket)
    }
  }
}

extension ValueType where Value == AuditConfiguration {
  static var audit: ValueType {
    .mapping(AuditKeys.schema) { reader in AuditConfiguration(keep: reader[AuditKeys.keep]) }
  }
}

extension ValueType where Value == LimitConfiguration {
  static var limits: ValueType {
    .mapping(LimitKeys.schema) { reader in
      LimitConfiguration(
        maxConnections: Int(reader[LimitKeys.maxConnections]),
        maxConnectionsPerAddress: (reader[LimitKeys.maxConnectionsPerAddress]).map { Int($0) },
        maxHeader: reader[LimitKeys.maxHeader], signIns: reader[LimitKeys.signIns],
        providerCalls: reader[LimitKeys.providerCalls],
        headTimeout: reader[LimitKeys.headTimeout],
        bodyTimeout: reader[LimitKeys.bodyTimeout], idleTimeout: reader[LimitKeys.idleTimeout])
    }
  }
}

extension ValueType where Value == DrainConfiguration {
  static var drain: ValueType {
    .mapping(DrainKeys.schema) { reader in
      DrainConfiguration(delay: reader[DrainKeys.delay], timeout: reader[DrainKeys.timeout])
    }
  }
}
