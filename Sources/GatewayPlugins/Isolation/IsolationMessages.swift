import ProviderKit

/// What the gateway says to a plugin's process.
enum HostMessage: Codable, Sendable, Equatable {
  /// The gateway wants something of the provider; it is answered once, under the same number.
  case call(id: UInt64, ProviderCall)
  /// Nobody waits for a call any more.
  case cancel(id: UInt64)
  /// What came of a call of a service.
  case serviceAnswer(id: UInt64, ServiceAnswer)
  /// Is to be answered with the same number: shows that the process does something still.
  case ping(UInt64)
}

/// What a plugin's process says to the gateway.
package enum PluginMessage: Codable, Sendable, Equatable {
  /// The first message: the provider is there.
  case hello(ProviderHello)
  /// Instead of it: one line that says why there is no provider.
  case failed(String)
  /// What came of a call.
  case answer(id: UInt64, ProviderAnswer)
  /// The provider wants something of the gateway on behalf of a call, which must be under way.
  case service(id: UInt64, call: UInt64, ServiceCall)
  /// Answers a ping.
  case pong(UInt64)
}

/// What a provider says of itself, which never changes, and how its process is.
package struct ProviderHello: Codable, Sendable, Equatable {
  let manifest: ProviderManifest
  let refusedCredential: ProviderFailure
  /// Whether the kernel keeps the process from files, connections and other processes.
  let isConfined: Bool
}
