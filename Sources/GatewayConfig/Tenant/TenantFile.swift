import GatewayBase

/// One file of `tenants/`, read alone: what it says, or why it is refused. Nothing of it depends on another file.
package struct TenantFile: Sendable {
  package let path: String
  /// Nil where the file has an error.
  package let configuration: TenantConfiguration?
  /// All that is wrong with the file alone, warnings included.
  package let problems: [Problem]
  /// Also of a refused file, as far as it could be read: so that all of its problems are told at once.
  let claims: [PlacedClaim]
  /// The providers that it lists, for the check against the plugins that are there.
  let providers: [Placed<String>]

  /// - Parameter environment: the variables that secrets may come from.
  package static func read(_ path: String, environment: [String: String]) -> TenantFile {
    let diagnostics = Diagnostics(file: path, environment: environment)
    guard let bytes = diagnostics.bytes() else { return refused(path, diagnostics) }
    return read(path, bytes: bytes, environment: environment)
  }

  /// The same, for bytes that are at hand.
  package static func read(_ path: String, bytes: [UInt8], environment: [String: String]) -> TenantFile {
    let diagnostics = Diagnostics(file: path, environment: environment)
    guard let root = YAMLReader.read(bytes, diagnostics) else { return refused(path, diagnostics) }
    PlainSecret.search(root, diagnostics)
    let decoded = TenantDecoder.decode(root, diagnostics)
    return TenantFile(
      path: path, configuration: diagnostics.hasErrors ? nil : decoded.configuration, problems: diagnostics.problems,
      claims: decoded.claims, providers: decoded.providers)
  }

  private static func refused(_ path: String, _ diagnostics: Diagnostics) -> TenantFile {
    TenantFile(path: path, configuration: nil, problems: diagnostics.problems, claims: [], providers: [])
  }
}

extension Diagnostics {
  /// The bytes of the file, or nil where it can't be read.
  func bytes() -> [UInt8]? {
    do throws(FileSystem.Fault) {
      return try FileSystem.read(file, limit: Limits.configurationFile)
    } catch {
      self.error(.unreadableFile, at: .start, "the file can't be read: \(error.reason)", hint: nil)
      return nil
    }
  }
}
