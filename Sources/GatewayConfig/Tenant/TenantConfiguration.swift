import GatewayBase
import GatewayCrypto

/// One app, as its file says: read, checked, and with every default filled in.
package struct TenantConfiguration: Sendable, Equatable {
  package let appID: Int64
  package let name: String
  /// What pages show beside the name.
  package let logo: LogoFile?
  /// Canonical, in the order of the file; never empty.
  package let domains: [HostName]
  /// The address of the regular account that pays for resources.
  package let owner: String?
  package let ios: IOSConfiguration
  /// Exact targets of redirects, besides the app's schemes and domains.
  package let redirects: [ServiceURL]
  /// Names of the plugins through which users may sign in.
  package let providers: [String]
  package let relay: RelayConfiguration?
  package let sessions: SessionConfiguration
  package let usage: UsageConfiguration
  package let serverKeys: [ServerKey]
  package let backends: [BackendConfiguration]
  package let routes: [RouteConfiguration]
  package let cors: CORSConfiguration?
  /// The values of `X-Speed-Request-From` that the app takes.
  package let requestFrom: [String]
  package let paths: PathTreatment
  /// Whether the `X-HTTP-Method-Override` family reaches the backend.
  package let methodOverride: Bool
  package let onClientGone: ClientGoneRule
}

/// What Apple's sign-in needs to know of the app.
package struct IOSConfiguration: Sendable, Equatable {
  package var bundleIDs: [String] = []
  /// Lower case.
  package var urlSchemes: [String] = []
  package var teamID: String?
  package var signInKey: SignInKey?
  package var servicesID: String?
}

/// The key of Apple's developer site by which the gateway proves that it is the app.
package struct SignInKey: Sendable, Equatable {
  package let id: String
  package let source: SecretSource

  /// The key as it is now, in any shape in which Apple's `.p8` file survives variables and secret stores.
  ///
  /// - Returns: nil where it is not there.
  /// - Throws: where what is there is no such key.
  package func load(environment: [String: String]) throws(CryptoError) -> SigningKey? {
    guard let text = source.resolve(environment: environment) else { return nil }
    return try SigningKey(anyShape: text)
  }
}

/// Sign-ins that were made elsewhere.
package struct RelayConfiguration: Sendable, Equatable {
  package struct Issuer: Sendable, Equatable {
    package let issuer: IssuerURL
    /// One that its tokens must have.
    package let audience: String
  }

  package struct Verifier: Sendable, Equatable {
    package let url: ServiceURL
    /// Signs what the verifier is asked.
    package let secret: SecretSource
  }

  /// One entry an audience.
  package let issuers: [Issuer]
  package let verifier: Verifier?
}

/// How long a sign-in lasts.
package struct SessionConfiguration: Sendable, Equatable {
  package var lifetime = Milliseconds.days(7)
  /// Whether sign-in also gives a rotating refresh token.
  package var refresh = false
}

/// Who pays for what users use.
package struct UsageConfiguration: Sendable, Equatable {
  package enum Source: String, Sendable, CaseIterable, CustomStringConvertible {
    case none, owner, speed, local

    package var description: String { rawValue }
  }

  package var source = Source.none
}

/// A secret by which the app's own services call the platform API.
package struct ServerKey: Sendable, Equatable {
  package let id: String
  package let source: SecretSource
}

/// Origins whose pages may call the app.
package struct CORSConfiguration: Sendable, Equatable {
  package enum Origins: Sendable, Equatable {
    case any
    /// As browsers send them.
    case listed([String])
  }

  package let origins: Origins
  package let credentials: Bool
}

/// What the gateway does with the path of a request.
package enum PathTreatment: String, Sendable, CaseIterable, CustomStringConvertible {
  /// Brings it to one form, which is matched and sent on.
  case canonical
  /// Passes its bytes untouched; rules may not depend on it.
  case opaque

  package var description: String { rawValue }
}

/// What happens to the backend's work when the client hangs up.
package enum ClientGoneRule: String, Sendable, CaseIterable, CustomStringConvertible {
  case cancel
  /// The answer is read to its end and dropped.
  case drain

  package var description: String { rawValue }
}
