import GatewayIO
import Testing

@Suite struct CellBlockTests {
  @Test("Cells begin at zero and each is raised by itself")
  func cells() {
    let cells = CellBlock(count: 1000)
    for index in [0, 1, 999] { #expect(cells.value(at: index) == 0) }
    cells.add(3, at: 1)
    cells.add(4, at: 1)
    cells.add(1, at: 999)
    #expect((0..<1000).filter { cells.value(at: $0) != 0 } == [1, 999])
    #expect(cells.value(at: 1) == 7)
  }

  @Test("A number goes on from zero behind its largest value")
  func wrapping() {
    let cells = CellBlock(count: 1)
    cells.add(.max, at: 0)
    cells.add(2, at: 0)
    #expect(cells.value(at: 0) == 1)
  }
}

@Suite struct ByteSlotsTests {
  /// Slots of four bytes.
  private final class Fixture {
    let slots = ByteSlots(size: 4)
    private let blocks = BlockPool(kept: 1)

    func text(_ slot: Int) -> String {
      var block = blocks.take()
      slots.append(slot, to: &block)
      let bytes = block.bytes.indices.map { block.bytes[$0] }
      blocks.give(block)
      return String(decoding: bytes, as: UTF8.self)
    }

    func append(_ text: String, to slot: Int) -> Bool {
      let bytes = Array(text.utf8)
      return slots.append(bytes.span, to: slot)
    }
  }

  private let fixture = Fixture()

  @Test("Slots hold what was put into each, also beyond the first chunk")
  func contents() {
    let taken = (0..<200).map { _ in fixture.slots.take() }
    #expect(Set(taken).count == 200 && fixture.slots.lent == 200)
    for slot in taken { #expect(fixture.append("\(slot)", to: slot)) }
    for slot in taken { #expect(fixture.text(slot) == "\(slot)") }
  }

  @Test("What does not fit whole is not put in at all")
  func full() {
    let slot = fixture.slots.take()
    #expect(fixture.append("abc", to: slot))
    #expect(!fixture.append("de", to: slot))
    #expect(fixture.append("d", to: slot))
    #expect(fixture.text(slot) == "abcd")
  }

  @Test("A slot that was given back or cleared is empty the next time")
  func reuse() {
    let first = fixture.slots.take()
    _ = fixture.append("abcd", to: first)
    fixture.slots.give(first)
    #expect(fixture.slots.lent == 0)
    let again = fixture.slots.take()
    #expect(again == first && fixture.text(again).isEmpty)
    _ = fixture.append("x", to: again)
    fixture.slots.clear(again)
    #expect(fixture.text(again).isEmpty)
  }
}
