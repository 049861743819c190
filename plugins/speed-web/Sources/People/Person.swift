/// A Speed account as its record holds it.
struct Person: Codable, Sendable {
  /// A browser that is signed in.
  struct Session: Codable, Sendable {
    /// Of the secret in the browser's cookie.
    let digest: String
    var userAgent: String?
    var address: String
    let createdAt: Int64
    var lastUsedAt: Int64
    /// When the person last proved who it is here, by password, passkey or letter.
    var provedAt: Int64
  }

  /// At most so many of each are kept; of sessions and devices the oldest go.
  static let sessionLimit = 16
  static let passkeyLimit = 10
  static let deviceLimit = 20
  /// Milliseconds without use after which a session is over.
  static let sessionLife: Int64 = 30 * 86_400_000
  /// Milliseconds for which a proof is good enough for what changes who can sign in.
  static let proofLife: Int64 = 600_000

  /// 128 random bits in hexadecimal: the subject of the account.
  let id: String
  var name: String
  /// As it was typed; verified.
  private(set) var email: String
  /// What `ProviderServices.derive` made of the password; nil where none was chosen yet.
  private(set) var password: String?
  /// Raised when the person changes by what the account is reached: a code that was mailed before is of no use then.
  private(set) var epoch = 0
  var passkeys: [StoredPasskey] = []
  var sessions: [Session] = []
  /// Digests of browsers that have signed in, by which the owner is told from strangers who guess.
  var devices: [String] = []
  let createdAt: Int64

  /// The session of a digest, where it is not over.
  func session(_ digest: String, now: Int64) -> Session? {
    sessions.first { $0.digest == digest && now - $0.lastUsedAt < Self.sessionLife }
  }

  /// Notes a browser that has proved to be this person's.
  mutating func add(_ session: Session, device: String) {
    sessions = Array((sessions.filter { $0.digest != session.digest } + [session]).suffix(Self.sessionLimit))
    devices = Array((devices.filter { $0 != device } + [device]).suffix(Self.deviceLimit))
  }

  init(id: String, name: String, email: String, password: String?, createdAt: Int64) {
    self.id = id
    self.name = name
    self.email = email
    self.password = password
    self.createdAt = createdAt
  }

  /// Has another password, with which all sessions but one end.
  mutating func setPassword(_ derivation: String, keeping digest: String? = nil) {
    password = derivation
    endSessions(but: digest)
  }

  mutating func setEmail(_ address: EmailAddress) {
    email = address.text
    epoch += 1
  }

  /// Ends every session but for one.
  mutating func endSessions(but digest: String? = nil) {
    sessions = sessions.filter { $0.digest == digest }
    epoch += 1
  }
}

/// A passkey of an account.
struct StoredPasskey: Codable, Sendable {
  /// Of a passkey's name.
  static let nameBytes = 100

  /// In base64url, as the key below.
  let id: String
  var publicKey: String
  var signCount: UInt32
  var isBackedUp: Bool
  let name: String
  let addedAt: Int64
  var lastUsedAt: Int64?
}
