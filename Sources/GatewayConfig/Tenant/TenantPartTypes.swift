import GatewayBase
import GatewayCrypto

/// What `ios` says, with the places of what other apps might claim too.
struct IOSDraft: Sendable {
  let bundleIDs: [Placed<String>]
  let urlSchemes: [Placed<String>]
  let servicesID: Placed<String>?
  let configuration: IOSConfiguration
}

extension ValueType where Value == IOSDraft {
  static var ios: ValueType {
    .mapping(IOSKeys.schema) { reader in
      let bundleIDs = reader[IOSKeys.bundleIDs]
      let urlSchemes = reader[IOSKeys.urlSchemes]
      reader.diagnostics.checkUnique(bundleIDs, "bundle ID")
      reader.diagnostics.checkUnique(urlSchemes, "scheme")
      let configuration = IOSConfiguration(
        bundleIDs: bundleIDs.map(\.value), urlSchemes: urlSchemes.map(\.value), teamID: reader[IOSKeys.teamID],
        signInKey: reader[IOSKeys.signInKey], servicesID: reader[IOSKeys.servicesID])
      if configuration.signInKey != nil, configuration.teamID == nil {
        reader.diagnostics.error(
          .missingKey, at: reader.place(of: IOSKeys.signInKey), "a `signInKey` is of no use without `teamId`",
          hint: "add teamId: the team that the key was made in")
      }
      if let services = configuration.servicesID, configuration.bundleIDs.contains(services) {
        reader.diagnostics.invalid(
          reader.place(of: IOSKeys.servicesID), "the Services ID is a bundle ID too",
          hint: "make a Services ID of its own at Apple; both share one namespace")
      }
      return IOSDraft(
        bundleIDs: bundleIDs, urlSchemes: urlSchemes,
        servicesID: configuration.servicesID.map { Placed(value: $0, place: reader.place(of: IOSKeys.servicesID)) },
        configuration: configuration)
    }
  }
}

extension ValueType where Value == SignInKey {
  static var signInKey: ValueType {
    .mapping(NamedSecretKeys.signIn.schema) { reader in
      let keys = NamedSecretKeys.signIn
      let source = reader.secret(keys.variable, keys.file, isRequired: true)
      guard let id = reader[keys.id], let source else { return nil }
      let key = SignInKey(id: id, source: source)
      do throws(CryptoError) {
        _ = try key.load(environment: reader.diagnostics.environment)
      } catch {
        reader.diagnostics.invalid(
          reader.place, "the sign-in key's source holds \(error)",
          hint: "put the content of Apple's .p8 file there, not its path and not another key")
      }
      return key
    }
  }
}

extension ValueType where Value == Placed<ServerKey> {
  static var serverKey: ValueType {
    .mapping(NamedSecretKeys.server.schema) { reader in
      let keys = NamedSecretKeys.server
      let source = reader.secret(keys.variable, keys.file, isRequired: true)
      guard let id = reader[keys.id], let source else { return nil }
      return Placed(value: ServerKey(id: id, source: source), place: reader.place)
    }
  }
}

extension ValueType where Value == SessionConfiguration {
  static var sessions: ValueType {
    .mapping(SessionKeys.schema) { reader in
      SessionConfiguration(lifetime: reader[SessionKeys.lifetime], refresh: reader[SessionKeys.refresh])
    }
  }
}

extension ValueType where Value == UsageConfiguration {
  static var usage: ValueType {
    .mapping(UsageKeys.schema) { reader in UsageConfiguration(source: reader[UsageKeys.source]) }
  }
}

extension ValueType where Value == CORSConfiguration {
  static var cors: ValueType {
    .mapping(CORSKeys.schema) { reader in
      let origins = reader[CORSKeys.origins] ?? []
      let credentials = reader[CORSKeys.credentials]
      reader.diagnostics.checkUnique(origins, "origin")
      guard let any = origins.first(where: { $0.value == "*" }) else {
        return CORSConfiguration(origins: .listed(origins.map(\.value)), credentials: credentials)
      }
      if credentials {
        reader.diagnostics.invalid(
          any.place, "any origin together with credentials: true", hint: "list the origins that may send credentials")
      } else if origins.count > 1 {
        reader.diagnostics.invalid(any.place, "any origin beside others", hint: "list \"*\" alone, or leave it out")
      }
      return CORSConfiguration(origins: .any, credentials: credentials)
    }
  }
}

extension ValueType where Value == String {
  /// An origin as browsers send it (RFC 6454 section 6.2), or `*`.
  static var origin: ValueType {
    .text("an origin such as https://notes.example.com", pattern: TextPattern.origin) { text throws(ValueFault) in
      guard text != "*" else { return text }
      let url = try ServiceURL.configured(text, [.https, .http])
      guard url.path.isEmpty, !text.hasSuffix("/") else {
        throw ValueFault("an origin has no path", hint: "write \(url.origin)")
      }
      return url.origin
    }
  }
}

extension ValueType where Value == RelayConfiguration {
  static var relay: ValueType {
    .mapping(RelayKeys.schema) { reader in
      let issuers = reader[RelayKeys.issuers]
      for (index, issuer) in issuers.enumerated() where issuers[..<index].contains(where: { $0.value == issuer.value })
      {
        reader.diagnostics.invalid(
          issuer.place, "the issuer is listed twice with one audience", hint: "list each pair once")
      }
      return RelayConfiguration(issuers: issuers.map(\.value), verifier: reader[RelayKeys.verifier])
    }
  }
}

extension ValueType where Value == IssuerURL {
  static var issuerURL: ValueType {
    .text("an https:// URL", pattern: TextPattern.issuerURL) { text throws(ValueFault) in
      let url = try ServiceURL.configured(text, [.https, .http])
      do throws(IssuerURL.Problem) {
        return try IssuerURL(text, url)
      } catch {
        switch error {
        case .form:
          throw ValueFault(
            "this is no issuer's URL",
            hint: "write it as its tokens have it in iss: ASCII, without a query, \(Limits.issuer) bytes at most")
        case .notConfidential: throw ValueFault("plain http:// is for loopback only", hint: "write https://")
        }
      }
    }
  }
}

extension ValueType where Value == Placed<RelayConfiguration.Issuer> {
  static var issuer: ValueType {
    .mapping(IssuerKeys.schema) { reader in
      let audience = reader[IssuerKeys.audience]
      guard let issuer = reader[IssuerKeys.issuer], let audience else { return nil }
      return Placed(value: RelayConfiguration.Issuer(issuer: issuer, audience: audience), place: reader.place)
    }
  }
}

extension ValueType where Value == RelayConfiguration.Verifier {
  static var verifier: ValueType {
    .mapping(VerifierKeys.schema) { reader in
      let secret = reader.secret(VerifierKeys.secretEnv, VerifierKeys.secretFile, isRequired: true)
      guard let url = reader[VerifierKeys.url], let secret else { return nil }
      return RelayConfiguration.Verifier(url: url, secret: secret)
    }
  }
}
