#if canImport(AuthenticationServices)
  import AuthenticationServices
  import Foundation

  /// The system's browser sheet for the platform's pages, as one call.
  @MainActor public final class WebSheet: NSObject {
    private let anchor: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var waiting: CheckedContinuation<URL, any Error>?

    /// - Parameter anchor: the window that the sheet belongs to.
    public init(anchor: ASPresentationAnchor) {
      self.anchor = anchor
    }

    /// Opens a visit to continue with Speed.
    ///
    /// - Returns: where it ended, for `SpeedAuthClient.signIn(_:endedAt:)`.
    /// - Throws: `SpeedAuthError.declined` where the user closed it.
    public func open(_ visit: SignInVisit) async throws -> URL {
      try await open(visit.url, scheme: visit.callbackScheme)
    }

    /// Opens a visit to link.
    ///
    /// - Returns: where it ended, for `SpeedAuthClient.speedToken(_:endedAt:)`.
    /// - Throws: `SpeedAuthError.declined` where the user closed it.
    public func open(_ visit: LinkVisit) async throws -> URL {
      try await open(visit.url, scheme: visit.callbackScheme)
    }

    private func open(_ url: URL, scheme: String) async throws -> URL {
      guard waiting == nil else { throw SpeedAuthError.cancelled }
      defer { session = nil }
      do {
        return try await withCheckedThrowingContinuation { continuation in
          waiting = continuation
          // Not of the main actor: the system does not say on which thread it calls.
          let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) { @Sendable callback, error in
            let result = callback.map { Result.success($0) } ?? .failure(error ?? SpeedAuthError.cancelled)
            Task { @MainActor in self.finish(result) }
          }
          session.presentationContextProvider = self
          self.session = session
          if !session.start() { finish(.failure(SpeedAuthError.cancelled)) }
        }
      } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
        throw SpeedAuthError.declined
      }
    }

    private func finish(_ result: Result<URL, any Error>) {
      waiting?.resume(with: result)
      waiting = nil
    }
  }

  extension WebSheet: ASWebAuthenticationPresentationContextProviding {
    /// The window that the sheet belongs to.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }
#endif
