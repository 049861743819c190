import GatewayConfig
import ProviderKit

/// One plugin folder, and what became of it.
package struct Plugin: Sendable {
  package enum State: Sendable {
    /// It serves its routes.
    case loaded(any Provider)
    /// Its routes answer 503 `provider_unavailable`. The text is one line for the operator.
    case failed(String)
  }

  /// What apps list under `providers`; the folder's name where `plugin.yaml` can't be read.
  package let name: String
  /// From `plugin.yaml`; nil where it can't be read.
  package let version: String?
  /// What it serves, loaded or not.
  package let routes: [PluginRoute]
  /// The section of gateway.yaml that its provider gets.
  package let settings: String?
  /// Whether it is of little use where the gateway sends no mail.
  package let sendsMail: Bool
  /// What its library was built with; nil where that can't be read.
  package let abi: ProviderABI?
  package let state: State
  /// Why its changed files can't be used, where they can't: what serves is its last good version.
  package internal(set) var rejection: String?
  /// Counts the loads of a gateway: another one means another provider.
  package internal(set) var load = 0

  /// The provider, where it is loaded.
  package var provider: (any Provider)? {
    if case .loaded(let provider) = state { provider } else { nil }
  }

  /// How its process does, where it has one of its own: whether it is there, and how often it was started again.
  package var process: (isUp: Bool, restarts: UInt64)? {
    (provider as? IsolatedProvider).map { ($0.figures.isUp, $0.figures.restarts) }
  }

  /// Why it can't be used, where it can't.
  package var failure: String? {
    if case .failed(let reason) = state { reason } else { nil }
  }
}
