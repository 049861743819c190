/// A dictionary that is cheap to change while others hold earlier versions: a change copies one part of many, so its cost
/// does not grow with the number of keys until there are millions.
///
/// A plain `Dictionary` would be copied whole whenever a snapshot of it is alive.
package struct ShardedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private static var shardCount: Int { 1024 }

  private var shards: [[Key: Value]]
  package private(set) var count = 0

  package init() { shards = Array(repeating: [:], count: Self.shardCount) }

  package subscript(key: Key) -> Value? {
    get { shards[Self.shard(of: key)][key] }
    set {
      let shard = Self.shard(of: key)
      let before = shards[shard].count
      shards[shard][key] = newValue
      count += shards[shard].count - before
    }
  }

  /// All values, in no order.
  package var values: some Sequence<Value> { shards.lazy.flatMap(\.values) }

  package var keys: some Sequence<Key> { shards.lazy.flatMap(\.keys) }

  /// Not the bits that a shard's own dictionary places its keys by, or each of them would have collisions.
  private static func shard(of key: Key) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) >> 48) & (shardCount - 1)
  }
}
