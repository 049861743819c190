/// What happens to the session, for whoever shows it.
public enum SessionEvent: Sendable, Hashable, Redacted {
  /// There is a new session.
  case signedIn(Session)
  /// The session goes on with another token, or the account has changed: replace what was kept of it, also
  /// `appUserUUID`.
  case changed(Session)
  /// There is no session any more. Of one that ended by itself the way of its sign-in is known.
  case ended(SessionEnd, SignInMethod?)
  /// The record could not be kept, so the session ends with the process: the reason.
  case notStored(String)
}

/// Why a session ended.
public enum SessionEnd: Sendable, Hashable {
  /// The platform takes its token no more.
  case expired
  /// The user signed out.
  case signedOut
  /// The user deleted the account.
  case deleted
}
