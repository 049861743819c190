import GatewayPlugins
import ProviderKit
import Testing

@Suite("The reader of ELF notes")
struct ELFNoteReaderTests {
  @Test("it finds what the real plugin was built with")
  func real() throws {
    #expect(try ELFNoteReader(PluginWorkshop.appleLibraryBytes()).abi() == .current)
  }

  @Test("no byte of the header or the section table can make it crash or read another note")
  func mutations() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("small", c: "void *speed_provider_entry(void) { return 0; }", abi: .current)
    var bytes = try workshop.libraryBytes("small")
    let table = (0..<8).reduce(0) { $0 | Int(bytes[40 + $1]) << ($1 * 8) }
    for position in Array(0..<64) + Array(table..<bytes.count) {
      let right = bytes[position]
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where value != right {
        bytes[position] = value
        if let abi = try? ELFNoteReader(bytes).abi() { #expect(abi == .current) }
      }
      bytes[position] = right
    }
    #expect(try ELFNoteReader(bytes).abi() == .current)
  }

  @Test("offsets and sizes at the end of the number range are damage")
  func hugeNumbers() throws {
    let whole = try PluginWorkshop.appleLibraryBytes()
    for field in [40, 58, 60, 62] {
      var bytes = whole
      let width = field == 40 ? 8 : 2
      for index in field..<field + width { bytes[index] = 0xFF }
      #expect(throws: PluginFailure.self) { try ELFNoteReader(bytes).abi() }
    }
  }

  @Test("a note that is not three printable strings is malformed")
  func malformedNotes() throws {
    let whole = try PluginWorkshop.appleLibraryBytes()
    let owner = Array("speedgw\0".utf8)
    let name = try #require(whole.indices.first { whole[$0...].starts(with: owner) && whole[$0 - 4] == 1 })
    // The owner's length, the text's length, the type, the owner, and bytes of the text.
    let changes: [(Int, UInt8)] = [
      (name - 12, 7), (name - 8, 1), (name - 8, whole[name - 8] - 1), (name - 7, 0xFF), (name - 4, 2), (name, 0x53),
      (name + 8, 0x0A), (name + 8, 0),
      (name + 9, 0x41),
    ]
    for (position, value) in changes {
      var bytes = whole
      bytes[position] = value
      #expect(throws: PluginFailure.self) { try ELFNoteReader(bytes).abi() }
    }
  }
}
