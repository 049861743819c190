import Testing

@testable import GatewayConfig
@testable import GatewayPlugins

@Suite("When changed plugins are loaded") struct PluginSettlingTests {
  /// The times at which these sights, each a list of paths, lead to a load.
  private func loads(_ sights: [(now: UInt64, paths: [String])]) -> [UInt64] {
    var settling = PluginSettling()
    return sights.filter { sight in
      let stamps = Dictionary(uniqueKeysWithValues: sight.paths.map { ($0, FileStamp.none) })
      return settling.isDue(PluginPicture(stamps: stamps), now: sight.now)
    }.map(\.now)
  }

  @Test("the first look is one to load after, and then nothing is until something changes")
  func first() {
    #expect(loads([(0, ["a"]), (10_000, ["a"])]) == [0])
  }

  @Test("a change is loaded when the files have been quiet, once")
  func quiet() {
    let quiet = PluginSettling.quiet
    #expect(
      loads([
        (0, ["a"]), (1000, ["a", "b"]), (999 + quiet, ["a", "c"]), (1000 + quiet, ["a", "c"]),
        (1000 + 2 * quiet, ["a", "c"]), (9000, ["a", "c"]),
      ]) == [0, 1000 + 2 * quiet])
  }

  @Test("what goes and comes back at once is no change")
  func rename() {
    #expect(loads([(0, ["a"]), (1000, []), (1250, ["a"]), (9000, ["a"])]) == [0])
  }

  @Test("a file that never comes to rest does not keep the others waiting for ever")
  func patience() {
    #expect(loads([(0, [])] + (0..<39).map { (1000 + UInt64($0) * 250, ["\($0)"]) }) == [0, 6000])
  }
}
