import GatewayBase
import GatewayConfig
import GatewayIO

/// An app's logo as pages show it: inside the page, so that no request goes elsewhere. It is read for each page: pages are
/// few, and a new file counts at once.
enum AppLogo {
  /// A `data:` URL; nil where the app names no file, or one that can't be shown.
  ///
  /// - Parameter pool: whose threads may wait for the file system.
  static func url(of app: AppDirectory.App, on pool: BlockingPool) async -> String? {
    guard let logo = app.configuration.logo, let bytes = try? await pool.run({ logo.bytes() }) else { return nil }
    return "data:\(logo.mediaType);base64,\(Base64.encode(bytes))"
  }
}
