import GatewayBase
import GatewayTesting

/// The readable parts of a compact JWS. It checks no signature: tests use it to look into tokens and to forge them.
struct JWTText {
  var header: JSON
  var claims: JSON
  var signature: [UInt8]

  init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Base64URL.decode($0.utf8) }
    guard parts.count == 3, let header = parts[0], let claims = parts[1], let signature = parts[2] else {
      throw TestFailure("not a compact JWS")
    }
    self.header = try JSON(parsing: header)
    self.claims = try JSON(parsing: claims)
    self.signature = signature
  }

  /// Header and claims as they are signed.
  var signingInput: String { "\(Base64URL.encode(header.bytes)).\(Base64URL.encode(claims.bytes))" }

  var text: String { "\(signingInput).\(Base64URL.encode(signature))" }
}

extension JSON {
  /// The object with one member changed; nil takes it away.
  func with(_ name: String, _ value: JSON?) -> JSON {
    guard case .object(var members) = self else { return self }
    members[name] = value
    return .object(members)
  }
}
