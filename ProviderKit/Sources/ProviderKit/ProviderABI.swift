internal import CProviderNote

/// What a plugin and the gateway must have in common: ProviderKit's types have no stable layout, so that a plugin
/// of another kit version or compiler would misread them.
///
/// Each plugin carries its own in an ELF note, which the gateway reads from the file before it loads it.
public struct ProviderABI: Sendable, Hashable, Codable {
  /// The version of ProviderKit, raised with every change of a public declaration.
  public let kit: String
  /// `x86_64` or `aarch64`.
  public let architecture: String
  /// The compiler, to the commit that it was built from.
  public let compiler: String

  /// Makes a description, for example of a plugin's file.
  public init(kit: String, architecture: String, compiler: String) {
    self.kit = kit
    self.architecture = architecture
    self.compiler = compiler
  }

  /// That of the running process.
  public static let current = ProviderABI(
    kit: unsafe String(cString: speed_provider_kit()),
    architecture: unsafe String(cString: speed_provider_architecture()),
    compiler: unsafe String(cString: speed_provider_compiler()))
}
