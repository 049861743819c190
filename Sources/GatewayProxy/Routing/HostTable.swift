import GatewayBase
import GatewayIO

/// What answers on a host.
package enum Site: Sendable {
  /// An app; the fields that tell its backend the host it was called by, and the app.
  case tenant(Tenant, hostFields: [UInt8])
  /// The gateway itself.
  case service(any Service)
}

/// Hosts to sites: immutable, looked up by the canonical bytes of a received host without an allocation.
///
/// Open addressing with linear probing over FNV-1a. The keys come from configuration alone, so nobody outside can
/// choose them to collide.
package final class HostTable: Sendable {
  private struct Entry: Sendable {
    let hash: UInt64
    let host: [UInt8]
    let site: Site
  }

  private let slots: [Int32]
  private let entries: [Entry]
  private let mask: Int

  /// - Parameter sites: the first of two with one host wins.
  package init(_ sites: [(host: HostName, site: Site)]) {
    var entries: [Entry] = []
    var capacity = 8
    while capacity < sites.count * 2 { capacity *= 2 }
    mask = capacity - 1
    var slots = [Int32](repeating: -1, count: capacity)
    for (host, site) in sites {
      let bytes = Array(host.description.utf8)
      let hash = Self.hash(bytes.span)
      var slot = Int(truncatingIfNeeded: hash) & mask
      var isTaken = false
      while slots[slot] >= 0 {
        if entries[Int(slots[slot])].host == bytes { isTaken = true }
        slot = (slot + 1) & mask
      }
      if isTaken { continue }
      slots[slot] = Int32(entries.count)
      entries.append(Entry(hash: hash, host: bytes, site: site))
    }
    self.slots = slots
    self.entries = entries
  }

  func site(of host: borrowing HostBuffer) -> Site? {
    let hash = Self.hash(host.bytes)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if entries[index].hash == hash && ByteCompare.equal(host.bytes, entries[index].host) {
        return entries[index].site
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash
  }
}
