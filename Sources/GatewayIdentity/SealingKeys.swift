import GatewayBase
import GatewayCrypto
import GatewayIO

/// The keys that seal what the gateway keeps for others: a folder of files, `<creation in Unix milliseconds>-<id>.key`,
/// each 32 bytes in hexadecimal that only the gateway's user may read.
///
/// The newest key seals; every one that is there opens. Several processes may share the folder, and nodes with one store
/// must have the same keys: another's new key is found where a sealed secret names it.
package final class SealingKeys: Sendable {
  package typealias Problem = PrivateFolder.Problem

  private struct Entry: Sendable {
    let id: [UInt8]
    let created: Int64
    let key: SealingKey

    init(_ key: SealingKey, created: Int64) {
      id = Array(Digest.sha256(Array("sealing key".utf8) + key.secret.reveal()).prefix(SealingKeys.idBytes))
      self.created = created
      self.key = key
    }

    var name: String { "\(created)-\(Hex.encode(id)).key" }
  }

  /// Bytes of a sealed secret that say how it was sealed: a format, and the key's id.
  private static let format: UInt8 = 1
  private static let idBytes = 8
  /// Bytes at the beginning of a sealed secret that tell its key.
  static let prefixBytes = 1 + idBytes
  /// Bytes that a sealed secret has more than the open one.
  package static let overhead = prefixBytes + SealingKey.overhead

  private let folder: PrivateFolder?
  private let clock: any WallClock
  /// Newest first, never empty.
  private let entries: Locked<[Entry]>

  /// Opens the folder, and makes it and a first key where there is none.
  ///
  /// - Throws: where the folder or any key file can't be used; a bad file is never passed over.
  package init(folder path: String, clock: any WallClock = SystemClock()) throws(Problem) {
    let folder = try PrivateFolder(path: path)
    if try folder.names().isEmpty {
      try folder.exclusively { changes throws(Problem) in
        // Another process may have been first.
        if try folder.names().isEmpty { try Self.addKey(created: clock.now.milliseconds, to: changes) }
      }
    }
    entries = Locked(try Self.load(folder))
    self.folder = folder
    self.clock = clock
  }

  /// One key that is kept nowhere.
  package init(_ key: SealingKey) {
    folder = nil
    clock = SystemClock()
    entries = Locked([Entry(key, created: 0)])
  }

  /// Adds a key, which seals from now on. Older ones stay, as what they have sealed is still there.
  package func rotate() throws(Problem) {
    guard let folder else { return }
    try folder.exclusively { changes throws(Problem) in
      let newest = try Self.load(folder).first?.created ?? 0
      // The new key is the newest even where the clock went back.
      try Self.addKey(created: max(clock.now.milliseconds, newest + 1), to: changes)
    }
    _ = try reload()
  }

  /// Reads the folder again.
  package func reload() throws(Problem) {
    guard let folder else { return }
    let loaded = try Self.load(folder)
    entries.withLock { $0 = loaded }
  }

  /// The id of the key that seals now.
  package var activeID: String { Hex.encode(entries.withLock { $0[0].id }) }

  /// Seals a secret with the newest key.
  ///
  /// - Parameter context: what the secret belongs to; `open` must be given the same.
  func seal(_ secret: [UInt8], _ context: SealingContext) throws(CryptoError) -> [UInt8] {
    let entry = entries.withLock { $0[0] }
    return [Self.format] + entry.id + (try entry.key.seal(secret, context: context.bytes))
  }

  /// The secret of a sealed one; nil where its key is not here, it belongs elsewhere, or it was changed.
  func open(_ sealed: [UInt8], _ context: SealingContext) -> [UInt8]? {
    guard sealed.count >= Self.overhead, sealed[0] == Self.format else { return nil }
    let id = Array(sealed[1...Self.idBytes])
    let isKnown = entries.withLock { $0.contains { $0.id == id } }
    // Another process may just have rotated.
    if !isKnown { try? reload() }
    guard let entry = entries.withLock({ $0.first { $0.id == id } }) else { return nil }
    return entry.key.open(Array(sealed.dropFirst(1 + Self.idBytes)), context: context.bytes)
  }

  /// Whether the newest key has sealed this.
  ///
  /// - Parameter sealed: its first bytes are enough.
  func isCurrent(_ sealed: [UInt8]) -> Bool {
    let id = entries.withLock { $0[0].id }
    return sealed.dropFirst().starts(with: id)
  }
}

/// What a sealed secret belongs to: in another place it does not open.
struct SealingContext {
  enum Kind: String {
    case grant, followUp, record
  }

  let bytes: [UInt8]

  /// - Parameters:
  ///   - owner: a user, or for records a provider.
  ///   - name: which of the owner's secrets: that of a client, or a record's key.
  init(_ kind: Kind, owner: String, name: String) {
    bytes = Array("\(kind.rawValue)\n\(owner.utf8.count)\n\(owner)\n\(name)".utf8)
  }
}

// Files.
extension SealingKeys {
  private static func addKey(created: Int64, to changes: PrivateFolder.Changes) throws(Problem) {
    let entry = Entry(.generate(), created: created)
    try changes.put(entry.name, Array(Hex.encode(entry.key.secret.reveal()).utf8))
  }

  private static func load(_ folder: PrivateFolder) throws(Problem) -> [Entry] {
    var entries: [Entry] = []
    for name in try folder.names() {
      let path = "\(folder.path)/\(name)"
      let text = try folder.read(name, limit: Limits.keyFile)
      guard let created = name.split(separator: "-").first.flatMap({ Int64($0) }),
        let bytes = Hex.decode(text.filter { $0 > 0x20 }), let key = SealingKey(Secret(bytes))
      else {
        throw Problem(
          path: path, reason: "is no sealing key: <creation in milliseconds>-<id>.key with 64 hexadecimal digits")
      }
      let entry = Entry(key, created: created)
      guard entry.name == name else { throw Problem(path: path, reason: "holds another key than its name says") }
      entries.append(entry)
    }
    guard !entries.isEmpty else { throw Problem(path: folder.path, reason: "holds no sealing key") }
    return entries.sorted { ($0.created, $0.name) > ($1.created, $1.name) }
  }
}
