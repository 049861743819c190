import GatewayBase
import Synchronization

/// The revocations that this node knows, in memory, and which accounts were linked or unlinked lately. All loops share it.
///
/// A loop remembers with each token that it accepted the `version` it was checked at. While that stands, the token needs
/// no second look: the hot path reads one atomic counter.
package final class RevocationSet: Sendable {
  private struct UserKey: Hashable {
    let app: Int64
    let user: String
  }

  private struct Entries {
    var tokens: [String: UnixTime] = [:]
    var users: [UserKey: (issuedUntil: UnixTime, expiresAt: UnixTime)] = [:]
    var links: [UserKey: (changes: Int64, expiresAt: UnixTime)] = [:]
    /// Tickets that were used in time, with when they expire.
    var tickets: [String: UnixTime] = [:]
    var prunedAt: UnixTime?

    /// - Returns: whether this changed anything.
    mutating func add(_ revocation: Revocation) -> Bool {
      switch revocation.scope {
      case .token(let jti):
        return tokens.updateValue(revocation.expiresAt, forKey: jti) == nil
      case .user(let user, let app, let issuedUntil):
        let key = UserKey(app: app, user: user)
        if let known = users[key], known.issuedUntil >= issuedUntil { return false }
        users[key] = (issuedUntil, revocation.expiresAt)
        return true
      }
    }

    /// - Returns: whether this changed anything.
    mutating func add(_ change: LinkChange) -> Bool {
      let key = UserKey(app: change.app, user: change.user)
      if let known = links[key], known.changes >= change.count { return false }
      links[key] = (change.count, change.expiresAt)
      return true
    }

    func isRevoked(jti: String, user: UserKey, issuedAt: UnixTime) -> Bool {
      if tokens[jti] != nil { return true }
      guard let revoked = users[user] else { return false }
      return issuedAt.seconds <= revoked.issuedUntil.seconds
    }
  }

  /// Seconds between two walks through the entries.
  private static let pruneInterval: Int64 = 60

  private let counter = Atomic<UInt64>(0)
  private let entries = Locked(Entries())
  private let hasReadAll = Atomic<Bool>(false)

  package init() {}

  /// Rises with every revocation that is news here.
  package var version: UInt64 { counter.load(ordering: .acquiring) }

  /// Whether a token of these claims was revoked.
  ///
  /// Issue times are whole seconds, and so one token of the second in which a user's tokens were revoked can't be told from
  /// a later one of that second: both are revoked.
  package func isRevoked(jti: String, user: String, app: Int64, issuedAt: UnixTime) -> Bool {
    entries.withLock { $0.isRevoked(jti: jti, user: UserKey(app: app, user: user), issuedAt: issuedAt) }
  }

  /// Whether all of a user's tokens in an app were ended at this time or later: to the millisecond, as what follows the end
  /// within its second is new.
  package func hasEnded(user: String, app: Int64, since time: UnixTime) -> Bool {
    entries.withLock { $0.users[UserKey(app: app, user: user)].map { time <= $0.issuedUntil } ?? false }
  }

  /// Whether a token of these claims was revoked, and whether its account is linked now: nil where that is as the token
  /// says, as nothing changed since it was issued.
  package func standing(
    jti: String, user: String, app: Int64, issuedAt: UnixTime
  ) -> (isRevoked: Bool, isLinked: Bool?) {
    let key = UserKey(app: app, user: user)
    return entries.withLock { entries in
      (
        entries.isRevoked(jti: jti, user: key, issuedAt: issuedAt),
        entries.links[key].map { $0.changes % 2 == 1 }
      )
    }
  }

  func add(_ revocations: [Revocation]) { add(TokenChanges(revocations: revocations)) }

  func add(_ changes: TokenChanges) {
    let isNews = entries.withLock { entries in
      var isNews = false
      for revocation in changes.revocations where entries.add(revocation) { isNews = true }
      for link in changes.links where entries.add(link) { isNews = true }
      // No news for tokens that were admitted: those were used.
      for ticket in changes.tickets { entries.tickets[ticket.tokenID] = ticket.expiresAt }
      return isNews
    }
    // After the entries: who sees the new version sees them too.
    if isNews { counter.add(1, ordering: .acquiringAndReleasing) }
  }

  /// Forgets what has expired, once a minute.
  func prune(now: UnixTime) {
    entries.withLock { entries in
      if let last = entries.prunedAt, last <= now, now < last.adding(seconds: Self.pruneInterval) { return }
      entries.prunedAt = now
      entries.tokens = entries.tokens.filter { $0.value > now }
      entries.users = entries.users.filter { $0.value.expiresAt > now }
      entries.links = entries.links.filter { $0.value.expiresAt > now }
      entries.tickets = entries.tickets.filter { $0.value > now }
    }
  }

  /// All that the store held has been read once, or it held nothing.
  func readAll() { hasReadAll.store(true, ordering: .releasing) }

  /// What a ticket's use at this time is.
  ///
  /// - Parameter isNoted: whether a first use is noted as one.
  func use(of ticket: UsedTicket, by useBy: UnixTime, now: UnixTime, isNoted: Bool) -> TicketUse {
    entries.withLock { entries in
      if entries.tickets[ticket.tokenID] != nil { return .again }
      // Who can't know whether it was used takes it, as all who can't know whether a token was ended do.
      if now >= useBy { return hasReadAll.load(ordering: .acquiring) ? .late : .again }
      if isNoted { entries.tickets[ticket.tokenID] = ticket.expiresAt }
      return .first
    }
  }

  /// How many revocations are known.
  package var count: Int { entries.withLock { $0.tokens.count + $0.users.count } }
}
