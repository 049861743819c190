#if canImport(AuthenticationServices)
  import AuthenticationServices
  import Foundation

  /// Apple's sheet for Sign in with Apple, as one call. Show `ASAuthorizationAppleIDButton` for it.
  @MainActor public final class AppleSheet: NSObject {
    private let anchor: ASPresentationAnchor
    private var waiting: CheckedContinuation<ASAuthorization, any Error>?

    /// - Parameter anchor: the window that the sheet belongs to.
    public init(anchor: ASPresentationAnchor) {
      self.anchor = anchor
    }

    /// Shows the sheet.
    ///
    /// - Parameter scopes: what the app asks the user for; none for a fresh `authorizationCode` before a deletion.
    /// - Throws: `SpeedAuthError.declined` where the user closed it; what `AuthenticationServices` throws otherwise.
    public func credential(scopes: [ASAuthorization.Scope] = [.fullName, .email]) async throws -> AppleCredential {
      guard waiting == nil else { throw SpeedAuthError.cancelled }
      let nonce = AppleNonce()
      let request = ASAuthorizationAppleIDProvider().createRequest()
      request.requestedScopes = scopes
      request.nonce = nonce.hashed
      let controller = ASAuthorizationController(authorizationRequests: [request])
      controller.delegate = self
      controller.presentationContextProvider = self
      let authorization: ASAuthorization
      do {
        authorization = try await withCheckedThrowingContinuation { continuation in
          waiting = continuation
          controller.performRequests()
        }
      } catch let error as ASAuthorizationError where error.code == .canceled {
        throw SpeedAuthError.declined
      }
      guard let apple = authorization.credential as? ASAuthorizationAppleIDCredential,
        let token = apple.identityToken.flatMap({ String(data: $0, encoding: .utf8) })
      else { throw SpeedAuthError.invalidCallback("no identity token") }
      return AppleCredential(
        user: apple.user, identityToken: token, nonce: nonce, fullName: Self.name(apple.fullName),
        authorizationCode: apple.authorizationCode.flatMap { String(data: $0, encoding: .utf8) })
    }

    private static func name(_ components: PersonNameComponents?) -> String? {
      let name = components.map { PersonNameComponentsFormatter.localizedString(from: $0, style: .default) }
      return name.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func finish(_ result: Result<ASAuthorization, any Error>) {
      waiting?.resume(with: result)
      waiting = nil
    }
  }

  extension AppleSheet: ASAuthorizationControllerDelegate {
    /// The sheet brought something.
    public func authorizationController(
      controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      finish(.success(authorization))
    }

    /// The sheet was closed, or failed.
    public func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
      finish(.failure(error))
    }
  }

  extension AppleSheet: ASAuthorizationControllerPresentationContextProviding {
    /// The window that the sheet belongs to.
    public func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }
  }
#endif
