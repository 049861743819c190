import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What becomes of an answer that points elsewhere.
public enum RedirectRule: Sendable, Hashable {
  /// It is the answer. Calls of the platform are never sent on: their bodies hold credentials.
  case stay
  /// It is followed; to another origin without `Authorization` and what else is of the app's session.
  case followWithoutCredentials
}

/// Keeps the user's token on the origin that it was sent to, whatever an answer points at. An app that sends authorized
/// requests on a `URLSession` of its own makes this the delegate of each task.
public final class RedirectGuard: NSObject, URLSessionTaskDelegate {
  private let rule: RedirectRule

  /// Makes a delegate for one task, or for many.
  public init(_ rule: RedirectRule = .followWithoutCredentials) {
    self.rule = rule
  }

  // The two must be the protocol's own to the letter: one that differs would never be called.
  #if canImport(FoundationNetworking)
    /// Judges a redirect.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(next(request, after: response))
    }
  #else
    /// Judges a redirect.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(next(request, after: response))
    }
  #endif

  func next(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest? {
    guard rule == .followWithoutCredentials else { return nil }
    guard let from = response.url.flatMap(Origin.init(of:)), from == request.url.flatMap(Origin.init(of:)) else {
      var bare = request
      for name in AuthorizedFields.names { bare.setValue(nil, forHTTPHeaderField: name) }
      return bare
    }
    return request
  }
}

/// The header fields of a session.
enum AuthorizedFields {
  static let authorization = "Authorization"
  static let requestFrom = "X-Speed-Request-From"
  static let webSocketProtocol = "Sec-WebSocket-Protocol"
  static let names = [authorization, requestFrom, webSocketProtocol]
}
