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

/// What carries requests: `URLSessionTransport`, or a stand-in of tests.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns the whole answer.
  ///
  /// - Throws: `URLError` or another where there is no answer; `CancellationError`.
  func answer(to request: URLRequest, redirects: RedirectRule) async throws -> (Data, HTTPURLResponse)
}

/// Requests by `URLSession`, without cookies and without a cache: what a user sees stays out of files.
public struct URLSessionTransport: HTTPTransport {
  private let timeout: TimeInterval
  #if !canImport(FoundationNetworking)
    private let session: URLSession
  #endif

  /// - Parameter timeout: seconds without a byte until a request is given up.
  public init(timeout: TimeInterval = 30) {
    self.timeout = timeout
    #if !canImport(FoundationNetworking)
      session = URLSession(configuration: Self.configuration(timeout))
    #endif
  }

  private static func configuration(_ timeout: TimeInterval) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest = timeout
    return configuration
  }

  /// Sends a request and returns the whole answer.
  public func answer(
    to request: URLRequest, redirects: RedirectRule
  ) async throws -> (Data, HTTPURLResponse) {
    #if canImport(FoundationNetworking)
      return try await DelegatedTask(request, redirects, Self.configuration(timeout)).answer()
    #else
      let (data, response) = try await session.data(for: request, delegate: RedirectGuard(redirects))
      guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      return (data, answer)
    #endif
  }
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
  static let requestFrom = "X-Speed-Request-From"
  static let webSocketProtocol = "Sec-WebSocket-Protocol"
  static let names = ["Authorization", requestFrom, webSocketProtocol]
}
