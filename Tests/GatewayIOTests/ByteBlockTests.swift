import GatewayBase
import Testing

@testable import GatewayIO

@Suite struct ByteBlockTests {
  @Test("Bytes come out as they went in, and an emptied block starts over")
  func consume() {
    var block = ByteBlock()
    block.append("abc")
    block.append([0x64, 0x65])
    block.append(UInt8(ascii: "f"))
    #expect(text(block) == "abcdef")
    block.consume(2)
    #expect(text(block) == "cdef")
    block.consume(4)
    let (isEmpty, room) = (block.isEmpty, block.room)
    #expect(isEmpty)
    #expect(room == ByteBlock.capacity)
  }

  @Test("Numbers are written in decimal and hexadecimal, the largest too")
  func numbers() {
    var block = ByteBlock()
    for value in [0, 9, 10, 65_536, UInt64.max] {
      block.append(decimal: value)
      block.append(" ")
    }
    for value in [0, 255, 4096, UInt64.max] {
      block.append(hex: value)
      block.append(" ")
    }
    for value in [1, 0x0123_4567_89AB_CDEF, UInt64.max] {
      block.append(hex16: value)
      block.append(" ")
    }
    #expect(
      text(block) == """
        0 9 10 65536 18446744073709551615 0 ff 1000 ffffffffffffffff \
        0000000000000001 0123456789abcdef ffffffffffffffff\u{20}
        """)
  }

  @Test("What was consumed for keeps can be brought back")
  func rewind() {
    var block = ByteBlock()
    block.append("request")
    block.consumeKeeping(7)
    let isEmpty = block.isEmpty
    #expect(isEmpty)
    block.rewind(by: 7)
    #expect(text(block) == "request")
    block.consumeKeeping(3)
    block.drop(last: 1)
    #expect(text(block) == "ues")
  }

  @Test("A block that was taken away is not there any more, whatever it held")
  func takenAway() {
    let place = Pinned<ByteBlock?>(nil)
    var block = ByteBlock()
    block.append("93 bytes of a head")
    place.value = consume block
    let before = place.value?.count
    let taken = place.value.take()
    let isTaken = taken != nil
    let after = place.value?.count
    #expect(before == 18)
    #expect(isTaken)
    #expect(after == nil)
  }

  @Test("Bytes are put in front where room was left for them, and else nothing is changed")
  func prepend() {
    var block = ByteBlock()
    block.leaveRoomInFront(5)
    block.append("head|body")
    block.consume(5)
    let tooLong = Array("longer than that".utf8)
    let isTooLongTaken = block.prepend(tooLong.span)
    #expect(!isTooLongTaken)
    #expect(text(block) == "body")
    let fitting = Array("other head".utf8)
    let isTaken = block.prepend(fitting.span)
    #expect(isTaken)
    #expect(text(block) == "other headbody")
    let isMoreTaken = block.prepend(fitting.span)
    #expect(!isMoreTaken)
  }

  @Test("Compacting makes room and keeps the bytes")
  func compact() {
    var block = ByteBlock()
    block.append([UInt8](repeating: 0x61, count: ByteBlock.capacity - 3))
    block.append("xyz")
    let full = block.room
    #expect(full == 0)
    block.consume(ByteBlock.capacity - 3)
    block.compact()
    let room = block.room
    #expect(text(block) == "xyz")
    #expect(room == ByteBlock.capacity - 3)
    block.clear()
    let isEmpty = block.isEmpty
    #expect(isEmpty)
  }
}

@Suite struct BlockPoolTests {
  @Test("The block given back last is taken next, emptied")
  func reuse() {
    let pool = BlockPool(kept: 4)
    var block = pool.take()
    block.append("left over")
    let address = unsafe UInt(bitPattern: block.base)
    pool.give(pool.take())
    pool.give(block)
    let again = pool.take()
    let (isEmpty, same) = unsafe (again.isEmpty, UInt(bitPattern: again.base) == address)
    #expect(isEmpty)
    #expect(same)
  }

  @Test("Free blocks beyond the limit go back to the system")
  func limit() {
    let pool = BlockPool(kept: 1)
    let first = pool.take()
    let second = pool.take()
    let (a, b) = unsafe (UInt(bitPattern: first.base), UInt(bitPattern: second.base))
    pool.give(first)
    pool.give(second)
    #expect(pool.free == 1)
    let kept = pool.take()
    let isFirst = unsafe UInt(bitPattern: kept.base) == a
    #expect(isFirst)
    #expect(a != b)
    #expect(pool.free == 0)
  }

  @Test("Blocks that are out are counted until they are given back")
  func lent() {
    let pool = BlockPool(kept: 1)
    let first = pool.take()
    let second = pool.take()
    #expect(pool.lent == 2)
    pool.give(first)
    pool.give(second)
    #expect(pool.lent == 0)
  }
}

private func text(_ block: borrowing ByteBlock) -> String {
  var bytes: [UInt8] = []
  for index in block.bytes.indices { bytes.append(block.bytes[index]) }
  return String(decoding: bytes, as: UTF8.self)
}
