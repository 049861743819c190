import GatewayBase

/// What an OpenID issuer tells about itself (OpenID Connect Discovery 1.0 section 3), as far as it counts here.
struct IssuerMetadata: Equatable {
  /// Why it is not believed. It holds nothing of the text.
  enum Fault: Error, CustomStringConvertible {
    case malformed, foreignIssuer, noKeySet, unreachableKeySet

    var description: String {
      switch self {
      case .malformed: "the issuer's metadata are no JSON object"
      case .foreignIssuer: "the issuer's metadata name another issuer"
      case .noKeySet: "the issuer's metadata name no key set"
      case .unreachableKeySet: "the issuer's metadata name a key set that is not at an https:// URL"
      }
    }
  }

  /// Where its keys are; often on another host.
  let keySetURL: ServiceURL

  /// - Parameter issuer: who was asked, and must say the same of itself, to the byte (section 4.3).
  init(_ text: [UInt8], of issuer: IssuerURL) throws(Fault) {
    guard let members = try? JSONValue(parsing: text), members.object != nil else { throw .malformed }
    guard let name = members["issuer"]?.string, name.utf8.elementsEqual(issuer.text.utf8) else { throw .foreignIssuer }
    guard let place = members["jwks_uri"]?.string else { throw .noKeySet }
    guard let url = try? ServiceURL(place), url.isConfidential, Self.mayLead(issuer, to: url.host) else {
      throw .unreachableKeySet
    }
    keySetURL = url
  }

  /// An issuer elsewhere can't have the gateway ask services of its own machine or of the machine's provider (server-side
  /// request forgery).
  private static func mayLead(_ issuer: IssuerURL, to host: URLHost) -> Bool {
    issuer.url.isLoopback || !(host.isLoopback || host.isLinkLocal)
  }
}
