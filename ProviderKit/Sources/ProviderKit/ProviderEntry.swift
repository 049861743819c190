/// What a plugin's entry function hands to the gateway.
///
/// A plugin exports one C function by this name, and it must be `public`, else an optimised build drops it:
///
///     @c(speed_provider_entry)
///     public func speedProviderEntry() -> UnsafeMutableRawPointer { ProviderEntry(MyProvider()).handOver() }
///
/// The gateway casts the object before it uses it, so a plugin with a ProviderKit of its own is refused.
public final class ProviderEntry: Sendable {
  /// The C name of the entry function.
  public static let symbol = "speed_provider_entry"

  /// The plugin's provider.
  public let provider: any Provider

  /// Makes the entry of a plugin with this provider.
  public init(_ provider: any Provider) { self.provider = provider }

  /// A retained reference to this object, for the entry function to return.
  public func handOver() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }
}
