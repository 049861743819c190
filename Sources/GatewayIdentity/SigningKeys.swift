import GatewayBase
import GatewayCrypto
import GatewayIO

/// The gateway's own signing keys: a folder of files, `<creation in Unix milliseconds>-<kid>.pem`, each a P-256 key in
/// PEM form that only the gateway's user may read.
///
/// The newest key signs. An older one verifies until the last token that it may have signed has ended. Several processes
/// may share the folder: each sees another's rotation by `reload`, or at once where a token names an unknown key.
package final class SigningKeys: Sendable {
  package typealias Problem = PrivateFolder.Problem

  /// A key as `keys list` shows it.
  package struct Description: Sendable, Equatable {
    package let kid: String
    package let created: UnixTime
    /// Nil for the key that signs; else when the key stops verifying.
    package let verifiesUntil: UnixTime?
  }

  private struct State {
    var names: [String]
    var set: SigningKeySet
    /// Monotonic; when the folder was last looked at for an unknown id.
    var lookedAt: UInt64?
  }

  private let folder: PrivateFolder
  private let tokenLifetime: Int64
  private let clock: any WallClock
  private let state: Locked<State>

  /// Whether the folder holds a key. Nothing is made.
  package static func exist(in path: String) throws(Problem) -> Bool {
    guard let folder = try PrivateFolder(existing: path) else { return false }
    return try !folder.names().isEmpty
  }

  /// Opens the folder, and makes it and a first key where there is none.
  ///
  /// - Parameter tokenLifetime: seconds that a token lives at most.
  /// - Throws: where the folder or any key file can't be used; a bad file is never passed over.
  package init(
    folder path: String, tokenLifetime: Int64 = Limits.tokenLifetime, clock: any WallClock = SystemClock()
  ) throws(Problem) {
    let folder = try PrivateFolder(path: path)
    var names = try folder.names()
    if names.isEmpty {
      names = try folder.exclusively { changes throws(Problem) in
        // Another process may have been first.
        if try folder.names().isEmpty { try Self.addKey(created: clock.now, to: changes, of: folder) }
        return try folder.names()
      }
    }
    let set = try Self.load(names, from: folder, tokenLifetime: tokenLifetime)
    self.folder = folder
    self.tokenLifetime = tokenLifetime
    self.clock = clock
    state = Locked(State(names: names, set: set))
  }

  /// The key that signs now.
  package var active: SigningKey { state.withLock { $0.set.active.key } }

  /// The key of this id while it verifies.
  ///
  /// For an unknown id the folder is read again, at most once a second: another process may just have rotated.
  package func verifyingKey(kid: String) -> VerifyingKey? {
    let now = clock.now
    if let key = state.withLock({ $0.set.verifyingKey(kid: kid, at: now) }) { return key }
    let monotonic = MonotonicClock.nanoseconds
    let mayLook = state.withLock { state in
      if let last = state.lookedAt, monotonic - last < 1_000_000_000 { return false }
      state.lookedAt = monotonic
      return true
    }
    // A folder that can't be read leaves the keys as they are; the periodic `reload` reports it.
    guard mayLook, (try? reload()) == true else { return nil }
    return state.withLock { $0.set.verifyingKey(kid: kid, at: now) }
  }

  /// Reads the folder again where its names changed.
  ///
  /// - Returns: whether the keys changed.
  /// - Throws: where a file can't be used or none is left; the keys in memory then stay.
  @discardableResult
  package func reload() throws(Problem) -> Bool {
    let names = try folder.names()
    guard names != state.withLock({ $0.names }) else { return false }
    let set = try Self.load(names, from: folder, tokenLifetime: tokenLifetime)
    state.withLock { state in
      state.names = names
      state.set = set
    }
    return true
  }

  /// Adds a key, which signs from now on, and removes the files of keys whose last token has ended.
  package func rotate() throws(Problem) {
    try folder.exclusively { changes throws(Problem) in
      let names = try folder.names()
      let now = clock.now
      let set = try Self.load(names, from: folder, tokenLifetime: tokenLifetime)
      // The new key is the newest even where the clock went back.
      let created = max(now, UnixTime(milliseconds: set.active.created.milliseconds + 1))
      try Self.addKey(created: created, to: changes, of: folder)
      let verifying = Set(set.verifying(at: now).map(\.key.kid))
      for entry in set.entries where !verifying.contains(entry.key.kid) { try changes.remove(Self.name(of: entry)) }
    }
    try reload()
  }

  /// All keys in the folder, newest first.
  package func list() -> [Description] {
    let set = state.withLock { $0.set }
    return set.entries.indices.map { index in
      let entry = set.entries[index]
      return Description(kid: entry.key.kid, created: entry.created, verifiesUntil: set.lastUse(at: index))
    }
  }

  /// The public keys that verify now, as `/.well-known/jwks.json` publishes them.
  package var jwks: [UInt8] {
    let set = state.withLock { $0.set }
    return JSONWebKeySet.jsonBytes(set.verifying(at: clock.now).map(\.key.publicJWK))
  }
}

// Files.
extension SigningKeys {
  private static func name(of entry: SigningKeySet.Entry) -> String {
    "\(entry.created.milliseconds)-\(entry.key.kid).pem"
  }

  private static func addKey(
    created: UnixTime, to changes: PrivateFolder.Changes, of folder: PrivateFolder
  ) throws(Problem) {
    do {
      let entry = SigningKeySet.Entry(key: try SigningKey.generate(), created: created)
      try changes.put(name(of: entry), try entry.key.pem().reveal())
    } catch let error as Problem {
      throw error
    } catch {
      throw Problem(path: folder.path, reason: "\(error)")
    }
  }

  private static func load(
    _ names: [String], from folder: PrivateFolder, tokenLifetime: Int64
  ) throws(Problem) -> SigningKeySet {
    var entries: [SigningKeySet.Entry] = []
    for name in names { entries.append(try load(name, from: folder)) }
    guard let set = SigningKeySet(entries, tokenLifetime: tokenLifetime) else {
      throw Problem(path: folder.path, reason: "holds no signing key")
    }
    return set
  }

  private static func load(_ name: String, from folder: PrivateFolder) throws(Problem) -> SigningKeySet.Entry {
    let path = "\(folder.path)/\(name)"
    let parts = name.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let created = Int64(parts[0]), (0...253_402_300_799_999).contains(created) else {
      throw Problem(path: path, reason: "is no key file: its name must be <creation in milliseconds>-<kid>.pem")
    }
    let pem = Secret(try folder.read(name, limit: Limits.keyFile))
    let key: SigningKey
    do throws(CryptoError) {
      key = try SigningKey(pem: pem)
    } catch {
      throw Problem(path: path, reason: "holds \(error)")
    }
    guard parts[1] == "\(key.kid).pem" else {
      throw Problem(path: path, reason: "holds another key than its name says")
    }
    return SigningKeySet.Entry(key: key, created: UnixTime(milliseconds: created))
  }
}
