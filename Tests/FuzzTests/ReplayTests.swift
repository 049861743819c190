import Foundation
import FuzzTargets
import Testing

@Suite("Random input") struct ReplayTests {
  @Test("every seed keeps the properties of its target", arguments: FuzzTarget.all.map(\.name))
  func seeds(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try Corpus.seeds(target)
    #expect(!seeds.isEmpty)
    for seed in seeds {
      do throws(BrokenProperty) {
        try target.run(seed.bytes)
      } catch {
        Issue.record("\(name)/\(seed.name): \(error)")
      }
    }
  }

  /// The same inputs in each run, of which a slow machine tries fewer: `scripts/fuzz` is where time goes.
  @Test("mutated seeds keep the properties of their target", arguments: FuzzTarget.all.map(\.name))
  func mutations(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let seeds = try Corpus.seeds(target).map(\.bytes)
    var mutator = Mutator(seed: 1)
    let end = ContinuousClock.now + .seconds(3)
    for round in 0..<2000 where ContinuousClock.now < end {
      let bytes = mutator.mutated(seeds[round % seeds.count], with: seeds[(round * 7 + 3) % seeds.count])
      do throws(BrokenProperty) {
        try target.run(bytes)
      } catch {
        Issue.record("\(name), base64 \(Data(bytes).base64EncodedString()): \(error)")
        return
      }
    }
  }
}
