/// Decides when changed plugins are loaded: once their files have been quiet for a while, as whoever writes them may be
/// half way. Takes what was seen at which moment, in monotonic milliseconds.
package struct PluginSettling: Sendable {
  /// From a change to the load, where nothing changes meanwhile. Longer than an editor's or a deployment's renames take.
  package static let quiet: UInt64 = 600
  /// From a change to the load, where one file never comes to rest.
  package static let patience: UInt64 = 5000

  private var loaded: PluginPicture?
  private var seen: PluginPicture?
  private var seenSince: UInt64 = 0
  private var changedSince: UInt64?

  package init() {}

  /// Whether the plugins are to be loaded now; what was seen counts as loaded then.
  package mutating func isDue(_ picture: PluginPicture, now: UInt64) -> Bool {
    // What changed between the first load and the first look is not known.
    guard loaded != nil else {
      loaded = picture
      return true
    }
    if picture != seen { (seen, seenSince) = (picture, now) }
    guard picture != loaded else {
      changedSince = nil
      return false
    }
    let since = changedSince ?? now
    changedSince = since
    guard now - seenSince >= Self.quiet || now - since >= Self.patience else { return false }
    loaded = picture
    changedSince = nil
    return true
  }
}
