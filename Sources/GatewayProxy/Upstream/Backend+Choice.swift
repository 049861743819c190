// Which server of a backend gets a request.
extension Backend {
  /// The least share of a server that is new or back.
  private static var smallestShare: Double { 0.1 }

  /// The server for a new request, where nothing speaks against it (`UpstreamServer.isPlain`): else see `reconsider`.
  ///
  /// - Parameter turn: raised with each request of the loop.
  func favourite(turn: UInt, _ chance: inout IDGenerator) -> Int {
    policy == .roundRobin ? Int(turn % UInt(servers.count)) : lessBusy(of: servers.count, &chance) { $0 }
  }

  /// The server for a request that others could not take; nil where none is left.
  ///
  /// Those that are ejected come last: as no byte was sent, a try can only help. Those that are down get nothing: a
  /// check has just found out.
  func choose(afterFailed tried: [Int], now: UInt64, _ chance: inout IDGenerator) -> Int? {
    pick(now: now, &chance) { index, standing in !tried.contains(index) && standing.isInService }
      ?? pick(now: now, &chance) { index, standing in !tried.contains(index) && standing != .down }
  }

  /// The server for a new request, where something speaks against the favourite; nil where all are down.
  ///
  /// - Parameter now: monotonic milliseconds.
  func reconsider(_ first: Int, now: UInt64, _ chance: inout IDGenerator) -> Int? {
    var index = first
    if !servers[first].standing(now: now).isInService {
      // At random, as the next in line would get the share of two.
      let inService = pick(now: now, &chance) { _, standing in standing.isInService }
      guard let other = inService ?? pick(now: now, &chance, { _, standing in standing != .down }) else { return nil }
      index = other
    }
    guard case .warming(let until) = servers[index].standing(now: now), !takes(until: until, now: now, &chance)
    else { return index }
    return pick(now: now, &chance) { _, standing in standing == .up } ?? index
  }

  /// Whether a server in its slow start takes this request: its share grows from a tenth to the whole.
  private func takes(until: UInt64, now: UInt64, _ chance: inout IDGenerator) -> Bool {
    guard rules.slowStart > 0, until > now else { return true }
    let gone = 1 - min(1, Double(until - now) / Double(rules.slowStart))
    return chance.fraction() < Self.smallestShare + (1 - Self.smallestShare) * gone
  }

  /// One of the servers that `suits` accepts, by the backend's policy, but at random where that is by turns.
  private func pick(
    now: UInt64, _ chance: inout IDGenerator, _ suits: (Int, ServerHealth.Standing) -> Bool
  ) -> Int? {
    let indices = servers.indices.filter { suits($0, servers[$0].standing(now: now)) }
    if indices.isEmpty { return nil }
    if policy == .roundRobin { return indices[chance.index(below: indices.count)] }
    return lessBusy(of: indices.count, &chance) { indices[$0] }
  }

  /// Of two of `count` servers at random the one with fewer requests under way.
  private func lessBusy(of count: Int, _ chance: inout IDGenerator, _ server: (Int) -> Int) -> Int {
    let first = chance.index(below: count)
    guard count > 1 else { return server(first) }
    // Another one, each as likely.
    let second = (first + 1 + chance.index(below: count - 1)) % count
    let (one, other) = (server(first), server(second))
    return servers[other].requestsUnderWay < servers[one].requestsUnderWay ? other : one
  }
}

extension ServerHealth.Standing {
  var isInService: Bool {
    switch self {
    case .up, .warming: true
    case .ejected, .down: false
    }
  }
}

extension IDGenerator {
  /// 0..<count, each as likely.
  mutating func index(below count: Int) -> Int {
    Int(truncatingIfNeeded: UInt64(truncatingIfNeeded: count).multipliedFullWidth(by: next()).high)
  }

  /// 0..<1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
