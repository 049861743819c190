import GatewayBase
import GatewayIO

/// What answers on a host.
package enum Site: Sendable {
  /// An app; the fields that tell its backend the host it was called by, and the app.
  case tenant(Tenant, hostFields: [UInt8])
  /// The gateway itself.
  case service(any Service)
}

/// Hosts to sites, looked up by the canonical bytes of a received host without an allocation.
///
/// A value: a copy that is changed shares all parts but those that the change touches, so that one host of many costs
/// what one of few does. Each part is open addressing with linear probing over FNV-1a; the keys come from configuration
/// alone, so nobody outside can choose them to collide. A look-up touches few lines of memory that other hosts' do not,
/// as with many apps in turn each of them is a cache miss: the name is compared where the fields that are sent have it.
package struct HostTable: Sendable {
  private struct Entry: Sendable {
    /// 0 for a free place.
    var hash: UInt64 = 0
    /// `Host: …` first.
    var fields: [UInt8] = []
    var tenant: Tenant?
    /// In `services`, where it has no tenant.
    var service = -1

    func isNamed(_ host: Span<UInt8>) -> Bool {
      let end = HostTable.nameOffset + host.count
      return fields.count > end && fields[end] == carriageReturn
        && ByteCompare.equal(host, fields.span.extracting(HostTable.nameOffset..<end))
    }
  }

  private static var partCount: Int { 1024 }
  private static let nameField = Array("Host: ".utf8)
  private static let nameOffset = nameField.count

  private var parts: [[Entry]]
  private let services: [any Service]

  /// - Parameter services: hosts of the gateway itself, which no app can take.
  package init(services: [(host: HostName, service: any Service)] = []) {
    parts = Array(repeating: [], count: Self.partCount)
    self.services = services.map(\.service)
    for (index, service) in services.enumerated() {
      insert(service.host, Entry(fields: Self.nameField + Array("\(service.host)\r\n".utf8), service: index))
    }
  }

  /// Adds the hosts of an app. A host that is taken stays with whom it is.
  package mutating func insert(_ tenant: Tenant) {
    for (host, fields) in zip(tenant.hosts, tenant.hostFields) { insert(host, Entry(fields: fields, tenant: tenant)) }
  }

  /// Makes room for the hosts of many apps, so that adding them moves nothing.
  package mutating func reserve(for tenants: [Tenant]) {
    var counts = parts.map { part in part.count { $0.hash != 0 } }
    for tenant in tenants {
      for host in tenant.hosts { counts[Self.part(Self.hash(host.description.utf8Span.span))] += 1 }
    }
    for part in counts.indices where counts[part] > 0 {
      var size = max(4, parts[part].count)
      while counts[part] * 4 > size * 3 { size *= 2 }
      if size > parts[part].count { resize(part, to: size) }
    }
  }

  /// Takes away the hosts that lead to this version of an app.
  package mutating func remove(_ tenant: Tenant) {
    for host in tenant.hosts {
      let part = Self.part(Self.hash(host.description.utf8Span.span))
      // What stands behind a place that becomes free may have been pushed past it: the part is filled anew.
      let kept = parts[part].filter {
        $0.hash != 0 && !($0.tenant === tenant && $0.isNamed(host.description.utf8Span.span))
      }
      parts[part] = []
      for entry in kept { place(entry, in: part) }
    }
  }

  func site(of host: borrowing HostBuffer) -> Site? {
    let hash = Self.hash(host.bytes)
    let part = Self.part(hash)
    guard let slot = slot(of: host.bytes, hash, in: part) else { return nil }
    if let tenant = parts[part][slot].tenant { return .tenant(tenant, hostFields: parts[part][slot].fields) }
    return .service(services[parts[part][slot].service])
  }

  private func slot(of host: Span<UInt8>, _ hash: UInt64, in part: Int) -> Int? {
    let mask = parts[part].count - 1
    guard mask > 0 else { return nil }
    var slot = Int(truncatingIfNeeded: hash) & mask
    while parts[part][slot].hash != 0 {
      if parts[part][slot].hash == hash && parts[part][slot].isNamed(host) { return slot }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func insert(_ host: HostName, _ entry: Entry) {
    var entry = entry
    entry.hash = Self.hash(host.description.utf8Span.span)
    let part = Self.part(entry.hash)
    guard slot(of: host.description.utf8Span.span, entry.hash, in: part) == nil else { return }
    place(entry, in: part)
  }

  /// Puts an entry that is not there yet into its part, which grows so that a quarter of it stays free.
  private mutating func place(_ entry: Entry, in part: Int) {
    let count = parts[part].count { $0.hash != 0 }
    if (count + 1) * 4 > parts[part].count * 3 { resize(part, to: max(4, parts[part].count * 2)) }
    settle(entry, in: part)
  }

  private mutating func resize(_ part: Int, to size: Int) {
    let entries = parts[part].filter { $0.hash != 0 }
    parts[part] = Array(repeating: Entry(), count: size)
    for entry in entries { settle(entry, in: part) }
  }

  private mutating func settle(_ entry: Entry, in part: Int) {
    let mask = parts[part].count - 1
    var slot = Int(truncatingIfNeeded: entry.hash) & mask
    while parts[part][slot].hash != 0 { slot = (slot + 1) & mask }
    parts[part][slot] = entry
  }

  /// Not the bits that a part places its entries by.
  private static func part(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 40) & (partCount - 1) }

  private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash | 1 << 63
  }
}

private let carriageReturn = UInt8(ascii: "\r")
