import GatewayTesting
import Testing

@testable import GatewayIO

@Suite struct BlockingPoolTests {
  struct Sentinel: Error {}

  @Test("Work runs on a thread of the pool, and its result or error comes back")
  func results() async throws {
    let pool = BlockingPool(name: "test", threads: 2)
    #expect(try await pool.run { 6 * 7 } == 42)
    await #expect(throws: Sentinel.self) { try await pool.run { throw Sentinel() } }
  }

  @Test("Work beyond the limit of the queue is refused, and none of it is lost")
  func queueLimit() async throws {
    let pool = BlockingPool(name: "test", threads: 1, queueLimit: 2)
    let (started, gate) = (Gate(), Gate())
    let done = Monitor(0)
    try pool.submit {
      started.open()
      try? gate.pass()
    }
    try started.pass()
    for _ in 0..<2 { try pool.submit { done.change { $0 += 1 } } }
    #expect(throws: BlockingPool.Failure.full) { try pool.submit {} }
    gate.open()
    #expect(done.wait { $0 == 2 ? true : nil } == true)
    #expect(try await pool.run { true })
  }

  @Test("A pool that nobody keeps finishes what is queued")
  func dropped() throws {
    var pool: BlockingPool? = BlockingPool(name: "test", threads: 1)
    let (started, gate) = (Gate(), Gate())
    let done = Monitor(0)
    try pool?.submit {
      started.open()
      try? gate.pass()
    }
    try started.pass()
    for _ in 0..<10 { try pool?.submit { done.change { $0 += 1 } } }
    pool = nil
    gate.open()
    #expect(done.wait { $0 == 10 ? true : nil } == true)
  }

  @Test("Jobs run in the order in which they came, over many turns of the queue")
  func order() throws {
    let pool = BlockingPool(name: "test", threads: 1, queueLimit: 10_000)
    let seen = Monitor<[Int]>([])
    for index in 0..<5_000 { try pool.submit { seen.change { $0.append(index) } } }
    #expect(seen.wait { $0.count == 5_000 ? $0 : nil } == Array(0..<5_000))
  }
}
