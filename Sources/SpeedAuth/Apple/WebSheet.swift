#if canImport(AuthenticationServices)
  import AuthenticationServices
  import Foundation

  /// The system's browser sheet for the platform's pages, as one call.
  @MainActor public final class WebSheet: NSObject {
    private let anchor: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

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
      defer { session = nil }
      do {
        return try await withCheckedThrowingContinuation { continuation in
          let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) { callback, error in
            if let callback {
              continuation.resume(returning: callback)
            } else {
              continuation.resume(throwing: error ?? SpeedAuthError.cancelled)
            }
          }
          session.presentationContextProvider = self
          self.session = session
          if !session.start() { continuation.resume(throwing: SpeedAuthError.cancelled) }
        }
      } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
        throw SpeedAuthError.declined
      }
    }
  }

  extension WebSheet: ASWebAuthenticationPresentationContextProviding {
    /// The window that the sheet belongs to.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }
#endif
