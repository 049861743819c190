import GatewayBase

/// Under which name an app's requests are counted. Names come from the configuration alone and are bounded in number,
/// so that nobody outside can make the metrics grow.
package struct AppLabel: Sendable, Hashable {
  let index: Int

  /// Requests for a host that is nobody's, and what is no request.
  package static let none = AppLabel(index: 0)
  /// The gateway's own hosts.
  package static let platform = AppLabel(index: 1)
  /// All apps beyond the limit together.
  package static let other = AppLabel(index: 2)
  private static var reserved: Int { 3 }

  static var limit: Int { reserved + Limits.labelledApps }

  fileprivate init(index: Int) { self.index = index }

  fileprivate init(app position: Int) { index = Self.reserved + position }
}

/// Gives each app its label, the same one across reloads. An app that is gone keeps it: its counts must not become
/// another's.
package final class AppLabels: Sendable {
  private let apps = Locked<[Int64]>([])

  package init() {}

  /// The label of an app: one of its own while there are any.
  package func label(of app: Int64) -> AppLabel {
    apps.withLock { apps in
      if let position = apps.firstIndex(of: app) { return AppLabel(app: position) }
      guard apps.count < Limits.labelledApps else { return .other }
      apps.append(app)
      return AppLabel(app: apps.count - 1)
    }
  }

  /// Every label in use, with the text that it has in the metrics.
  package var all: [(label: AppLabel, text: String)] {
    let known = apps.withLock { $0 }
    return [(.none, "none"), (.platform, "platform")]
      + known.enumerated().map { (AppLabel(app: $0.offset), String($0.element)) }
      + (known.count == Limits.labelledApps ? [(.other, "other")] : [])
  }
}
