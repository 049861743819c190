import GatewayBase
import ProviderKit

/// Finds a plugin's ELF note in the bytes of its file, so that a library that this gateway can't use is told apart
/// before any of its code runs.
///
/// It takes the section headers, which linkers put at a file's end, so that a truncated file shows at once. Every
/// offset and size of the file is taken for hostile.
package struct ELFNoteReader {
  private static let section = Array(".note.speedgw".utf8)
  private static let owner = Array("speedgw\0".utf8)
  private static let noteType: UInt32 = 1
  private static let noteSectionType: UInt32 = 7  // SHT_NOTE
  private static let sharedObject: UInt16 = 3  // ET_DYN
  private static let headerSize = 64
  private static let sectionHeaderSize = 64

  private let file: ELFBytes

  package init(_ bytes: [UInt8]) { file = ELFBytes(bytes[...]) }

  /// What the file says that it was built with.
  ///
  /// - Throws: where the bytes are no whole shared object with a well-formed note.
  package func abi() throws(PluginFailure) -> ProviderABI {
    try checkIdentification()
    guard let headers = sectionHeaders(), let names = nameTable(in: headers) else {
      throw PluginFailure("the library is truncated or damaged")
    }
    for header in headers where header.type == Self.noteSectionType {
      guard let name = names.text(at: UInt64(header.name)) else {
        throw PluginFailure("the library is truncated or damaged")
      }
      if name == Self.section { return try description(of: header) }
    }
    throw PluginFailure("the library has no note .note.speedgw: it is no plugin, or was linked without ProviderNote")
  }

  /// ELF, 64 bits, little-endian, version 1, a shared object: the first bytes of every plugin.
  private func checkIdentification() throws(PluginFailure) {
    let identification: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]
    guard file.slice(offset: 0, size: 7) == identification[...], file.uint16(at: 16) == Self.sharedObject else {
      throw PluginFailure("the library is no 64-bit ELF shared object")
    }
  }

  private func sectionHeaders() -> [SectionHeader]? {
    guard let offset = file.uint64(at: 40), let size = file.uint16(at: 58), let count = file.uint16(at: 60),
      size == Self.sectionHeaderSize, count > 0, offset >= Self.headerSize,
      let table = file.slice(offset: offset, size: UInt64(count) * UInt64(size))
    else { return nil }
    return (0..<Int(count)).map { SectionHeader(ELFBytes(table), at: UInt64($0 * Self.sectionHeaderSize)) }
  }

  private func nameTable(in headers: [SectionHeader]) -> ELFBytes? {
    guard let index = file.uint16(at: 62), index < headers.count else { return nil }
    return file.slice(offset: headers[Int(index)].offset, size: headers[Int(index)].size).map(ELFBytes.init)
  }

  /// Three NUL-terminated strings of printable ASCII, since they are shown to people.
  private func description(of header: SectionHeader) throws(PluginFailure) -> ProviderABI {
    let malformed = PluginFailure("the library's note .note.speedgw is malformed")
    guard let note = file.slice(offset: header.offset, size: header.size).map(ELFBytes.init),
      note.uint32(at: 0) == UInt32(Self.owner.count), let size = note.uint32(at: 4), size <= Limits.pluginNote,
      note.uint32(at: 8) == Self.noteType, note.slice(offset: 12, size: UInt64(Self.owner.count)) == Self.owner[...],
      let text = note.slice(offset: 12 + UInt64(Self.owner.count), size: UInt64(size)), text.last == 0
    else { throw malformed }
    let strings = text.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    guard strings.count == 3,
      strings.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x20...0x7E).contains($0) } })
    else { throw malformed }
    let texts = strings.map { String(decoding: $0, as: UTF8.self) }
    return ProviderABI(kit: texts[0], architecture: texts[1], compiler: texts[2])
  }
}

/// One entry of the section header table (System V ABI, "Sections").
private struct SectionHeader {
  let name: UInt32
  let type: UInt32
  let offset: UInt64
  let size: UInt64

  /// - Parameter table: holds the whole entry at `offset`.
  init(_ table: ELFBytes, at offset: UInt64) {
    name = table.uint32(at: offset) ?? 0
    type = table.uint32(at: offset + 4) ?? 0
    self.offset = table.uint64(at: offset + 24) ?? 0
    size = table.uint64(at: offset + 32) ?? 0
  }
}

/// Little-endian numbers and parts of a file, each nil where the file ends before it does.
private struct ELFBytes {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  func slice(offset: UInt64, size: UInt64) -> ArraySlice<UInt8>? {
    guard offset <= UInt64(bytes.count), size <= UInt64(bytes.count) - offset else { return nil }
    return bytes.dropFirst(Int(offset)).prefix(Int(size))
  }

  /// The bytes up to the next NUL.
  func text(at offset: UInt64) -> [UInt8]? {
    guard offset < UInt64(bytes.count) else { return nil }
    let rest = bytes.dropFirst(Int(offset))
    return rest.firstIndex(of: 0).map { Array(rest[..<$0]) }
  }

  func uint16(at offset: UInt64) -> UInt16? { number(at: offset) }
  func uint32(at offset: UInt64) -> UInt32? { number(at: offset) }
  func uint64(at offset: UInt64) -> UInt64? { number(at: offset) }

  private func number<Number: FixedWidthInteger>(at offset: UInt64) -> Number? {
    slice(offset: offset, size: UInt64(Number.bitWidth / 8))?
      .reversed().reduce(0 as Number) { $0 << 8 | Number($1) }
  }
}
