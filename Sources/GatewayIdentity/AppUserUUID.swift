import GatewayBase
import GatewayCrypto

/// `appUserUUID`: the version-5 UUID of an app's user (RFC 9562 section 5.5), the same for ever and on every node.
package enum AppUserUUID {
  /// The namespace of this product: a fixed random UUID.
  private static let namespace = UUIDText(
    bytes: [0x6f, 0x1d, 0x0c, 0x52, 0x3b, 0x0e, 0x4a, 0x8e, 0x9c, 0x47, 0x2e, 0x5d, 0x70, 0x1b, 0xa4, 0x39], version: 4)

  package static func text(app: Int64, user: String) -> String {
    UUIDText.named(Array("\(app):\(user)".utf8), in: namespace).description
  }
}
