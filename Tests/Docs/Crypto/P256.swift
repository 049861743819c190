import Foundation
import GatewayBase
import GatewayCrypto

/// Stands in for the part of swift-crypto that `docs/BACKENDS.md` uses, with its names and types, so that the page's code
/// is compiled and run without a download.
public enum P256 {
  /// Signatures by ECDSA.
  public enum Signing {
    /// Why bytes are no key, or no signature.
    public struct Malformed: Error {}

    /// 64 bytes: r and s.
    public struct ECDSASignature: Sendable {
      fileprivate let bytes: [UInt8]

      /// - Throws: `Malformed` for another length.
      public init(rawRepresentation: some DataProtocol) throws {
        guard rawRepresentation.count == 64 else { throw Malformed() }
        bytes = Array(rawRepresentation)
      }
    }

    /// A key that judges signatures.
    public struct PublicKey: Sendable {
      private static let name = "key"
      private let keys: JSONWebKeySet

      /// - Parameter rawRepresentation: x and y, 32 bytes each.
      /// - Throws: `Malformed` where that is no point of the curve.
      public init(rawRepresentation: some DataProtocol) throws {
        let bytes = Array(rawRepresentation)
        guard bytes.count == 64 else { throw Malformed() }
        let (x, y) = (Base64URL.encode(Array(bytes[..<32])), Base64URL.encode(Array(bytes[32...])))
        let text = #"{"keys":[{"kid":"\#(Self.name)","kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}]}"#
        keys = try JSONWebKeySet(parsing: Array(text.utf8))
        guard keys.count == 1 else { throw Malformed() }
      }

      /// Whether the signature is this key's over the data.
      public func isValidSignature(_ signature: ECDSASignature, for data: some DataProtocol) -> Bool {
        keys[Self.name]?.verify(signature: signature.bytes, over: Array(data)) ?? false
      }
    }
  }
}
