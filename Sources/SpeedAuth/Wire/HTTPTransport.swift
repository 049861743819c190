import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
