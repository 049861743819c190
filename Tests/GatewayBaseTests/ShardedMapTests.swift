import GatewayBase
import Testing

@Suite("A map that is cheap to change") struct ShardedMapTests {
  @Test("it has what was put in, counts it, and forgets what was taken out")
  func contents() {
    var map = ShardedMap<Int, String>()
    for key in 0..<5_000 { map[key] = "\(key)" }
    for key in stride(from: 0, to: 5_000, by: 2) { map[key] = nil }
    map[1] = "one"
    map[-1] = nil
    #expect(map.count == 2_500 && map[1] == "one" && map[3] == "3" && map[2] == nil)
    #expect(map.keys.sorted() == Array(stride(from: 1, to: 5_000, by: 2)))
    #expect(Array(map.values).count == 2_500)
  }

  @Test("a copy that is changed leaves the other as it was")
  func copies() {
    var map = ShardedMap<Int, Int>()
    for key in 0..<1_000 { map[key] = key }
    let before = map
    map[7] = nil
    map[1_000] = 1
    #expect(before[7] == 7 && before[1_000] == nil && before.count == 1_000)
    #expect(map[7] == nil && map[1_000] == 1 && map.count == 1_000)
  }
}
