import ProviderKit
import RelaySignIn

/// The function by which the gateway gets this plugin's provider.
@c(speed_provider_entry)
public func speedProviderEntry() -> UnsafeMutableRawPointer { unsafe ProviderEntry(RelayProvider()).handOver() }
