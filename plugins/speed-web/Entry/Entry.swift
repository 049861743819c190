import ProviderKit
import SpeedWebPages

/// The function by which the gateway gets this plugin's provider.
@c(speed_provider_entry)
public func speedProviderEntry() -> UnsafeMutableRawPointer { unsafe ProviderEntry(SpeedWebProvider()).handOver() }
