import Foundation

/// What a session's requests carry as `Authorization: Bearer`. It is the user's: it goes to the app's own origins and to
/// the platform, and nowhere else.
public struct AccessToken: Sendable, Hashable, Codable, Redacted {
  /// The token as it is sent.
  public let text: String

  /// Takes a token as it came.
  public init(_ text: String) { self.text = text }
}

extension AccessToken {
  /// The value of `Authorization`.
  var bearer: String { "Bearer \(text)" }
}

/// What a new pair of tokens is got for, once, where the app has opted in to short sessions.
public struct RefreshToken: Sendable, Hashable, Codable, Redacted {
  /// The token as it is sent.
  public let text: String

  /// Takes a token as it came.
  public init(_ text: String) { self.text = text }
}

/// What the linking flow brings: proof of a Speed account, good for one link and as no session.
public struct SpeedToken: Sendable, Hashable, Redacted {
  /// The token as it is sent.
  public let text: String

  /// Takes a token as it came.
  public init(_ text: String) { self.text = text }
}

/// A URL that signs a WebView of the same app in: its token ends unless it is used within a minute.
public struct Ticket: Sendable, Hashable, Redacted {
  /// What the WebView loads. It holds a token: do not keep, show or log it.
  public let url: URL
}
