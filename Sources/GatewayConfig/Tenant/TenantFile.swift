import GatewayBase

/// One file of `tenants/`, read alone: what it says, or why it is refused. Nothing of it depends on another file.
package struct TenantFile: Sendable {
  package let path: String
  /// What the file says, held once by all that look at it; nil where the file has an error.
  package let shared: SharedConfiguration?
  /// All that is wrong with the file alone, warnings included.
  package let problems: [Problem]
  /// Also of a refused file, as far as it could be read: so that all of its problems are told at once.
  let claims: [PlacedClaim]
  /// The providers that it lists, for the check against the plugins that are there.
  let providers: [Placed<String>]

  /// Bytes after which a file is too long, whatever it says.
  package static var readLimit: Int { Limits.configurationFile }

  /// Nil where the file has an error.
  package var configuration: TenantConfiguration? { shared?.value }

  /// What must be kept of a good file while it runs: not what it was warned of.
  package var withoutWarnings: TenantFile {
    shared == nil ? self : TenantFile(path: path, shared: shared, problems: [], claims: claims, providers: [])
  }

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
    if PlainSecret.mayBe(in: bytes) { PlainSecret.search(root, diagnostics) }
    let decoded = TenantDecoder.decode(root, diagnostics)
    return TenantFile(
      path: path, shared: diagnostics.hasErrors ? nil : decoded.configuration.map(SharedConfiguration.init),
      problems: diagnostics.problems, claims: decoded.claims, providers: decoded.providers)
  }

  /// What is there of a file that can't be read.
  package static func unreadable(_ path: String, _ fault: FileSystem.Fault) -> TenantFile {
    let diagnostics = Diagnostics(file: path)
    diagnostics.report(fault)
    return refused(path, diagnostics)
  }

  private static func refused(_ path: String, _ diagnostics: Diagnostics) -> TenantFile {
    TenantFile(path: path, shared: nil, problems: diagnostics.problems, claims: [], providers: [])
  }
}

/// A configuration behind one reference: it is large, and several tables name it.
package final class SharedConfiguration: Sendable {
  package let value: TenantConfiguration

  package init(_ value: TenantConfiguration) { self.value = value }
}

extension Diagnostics {
  /// The bytes of the file, or nil where it can't be read.
  func bytes() -> [UInt8]? {
    do throws(FileSystem.Fault) {
      return try FileSystem.read(file, limit: Limits.configurationFile)
    } catch {
      report(error)
      return nil
    }
  }

  fileprivate func report(_ fault: FileSystem.Fault) {
    error(.unreadableFile, at: .start, "the file can't be read: \(fault.reason)", hint: nil)
  }
}
