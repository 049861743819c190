import Testing

@testable import GatewayIO

@Suite struct SlabTests {
  @Test("A record stays at its handle until it is removed")
  func insertAndRemove() {
    let slab = Records(kind: 7)
    let first = slab.insert(Record(1))
    let second = slab.insert(Record(2))
    slab[first] += 10
    #expect(slab[first] == 11)
    #expect(slab[second] == 2)
    #expect(slab.count == 2)
    slab.remove(first)
    #expect(!slab.contains(first))
    #expect(slab.contains(second))
    #expect(slab.count == 1)
  }

  @Test("A handle finds nothing once its place was given to another record")
  func staleHandle() {
    let slab = Records(kind: 7)
    let stale = slab.insert(Record(1))
    slab.remove(stale)
    let successor = slab.insert(Record(2))
    #expect(successor.index == stale.index)
    #expect(!slab.contains(stale))
    slab.remove(stale)
    #expect(slab.contains(successor))
    #expect(slab.count == 1)
  }

  @Test("Handles of another slab, of no record and out of range find nothing")
  func foreignHandles() {
    let slab = Records(kind: 7)
    let other = Records(kind: 8)
    _ = slab.insert(Record(1))
    #expect(!slab.contains(other.insert(Record(2))))
    #expect(!slab.contains(.none))
    #expect(!slab.contains(Handle(raw: .max)))
    #expect(!slab.contains(Handle(kind: 7, generation: 1, index: 1 << 20)))
  }

  @Test("Records keep their values while the slab grows over many chunks")
  func growth() {
    let slab = Records(kind: 1)
    let count = SlabIndex.chunkSize * 5 + 3
    let handles = (0..<count).map { slab.insert(Record($0)) }
    #expect(Set(handles).count == count)
    #expect(handles.enumerated().allSatisfy { slab[$1] == $0 })
    for handle in handles { slab.remove(handle) }
    #expect(slab.count == 0)
    let again = (0..<count).map { slab.insert(Record($0)) }
    #expect(again.allSatisfy { $0.index < count + SlabIndex.chunkSize })
    #expect(Set(again).isDisjoint(with: handles))
  }

  @Test("A walk sees what is live when its turn comes, whatever is inserted and removed meanwhile")
  func walk() {
    let slab = Records(kind: 1)
    let handles = (0..<600).map { slab.insert(Record($0)) }
    var seen: [Int] = []
    slab.forEachHandle { handle in
      seen.append(slab[handle])
      let index = slab[handle]
      if index >= 0, index.isMultiple(of: 2), index + 1 < 600 { slab.remove(handles[index + 1]) }
      if index == 0 { for value in 0..<SlabIndex.chunkSize { _ = slab.insert(Record(-value - 1)) } }
    }
    #expect(seen.filter { $0 >= 0 } == Array(stride(from: 0, to: 600, by: 2)))
    #expect(Set(seen).count == seen.count)
  }

  @Test("What records hold ends with them, and with the slab")
  func lifetimes() {
    weak var early: Token?
    weak var late: Token?
    do {
      let slab = Records(kind: 1)
      let first = Token()
      let second = Token()
      (early, late) = (first, second)
      let handle = slab.insert(Record(1, first))
      _ = slab.insert(Record(2, second))
      slab.remove(handle)
    }
    #expect(early == nil)
    #expect(late == nil)
  }
}

private struct Record: ~Copyable {
  var value: Int
  let token: Token?

  init(_ value: Int, _ token: Token? = nil) {
    self.value = value
    self.token = token
  }
}

private final class Token {}

/// A slab by reference, as expectations take no value that can't be copied.
private final class Records {
  private let slab: Slab<Record>

  init(kind: UInt8) { slab = Slab(kind: kind) }

  var count: Int { slab.count }

  func insert(_ record: consuming Record) -> Handle { slab.insert(record) }

  func remove(_ handle: Handle) { slab.remove(handle) }

  func contains(_ handle: Handle) -> Bool { slab.contains(handle) }

  func forEachHandle(_ body: (Handle) -> Void) { slab.forEachHandle(body) }

  subscript(handle: Handle) -> Int {
    get { slab[handle].value }
    set { slab[handle].value = newValue }
  }
}
