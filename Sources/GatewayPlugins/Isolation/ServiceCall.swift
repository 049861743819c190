import ProviderKit

/// One call of the gateway's services, as a message.
package enum ServiceCall: Codable, Sendable, Equatable {
  case now
  case settings
  case sha256([UInt8])
  case verify(token: String, keySetURL: String, algorithms: [SignatureAlgorithm])
  case verifyOfIssuer(token: String, issuer: String, algorithms: [SignatureAlgorithm])
  case askVerifier([UInt8])
  case sign([UInt8])
  case post(FormPost)
  case random(Int)
  case records([String])
  case commit([RecordChange])
  case derive(password: String)
  case isPassword(String, derivation: String?)
  case send(ProviderMail)
  case register(PasskeyRegistration, challenge: PasskeyChallenge)
  case verifyPasskey(PasskeyAssertion, passkey: Passkey, challenge: PasskeyChallenge)
  case keep(VerifiedIdentity)
  case isRegistered(subject: String, issuer: String)
  case endSessions(subject: String, issuer: String)

  /// Has the gateway do it.
  func perform(by services: any ProviderServices) async -> ServiceAnswer {
    do {
      switch self {
      case .now: return .time(await services.now)
      case .settings: return .settings(await services.settings)
      case .sha256(let bytes): return .bytes(await services.sha256(bytes))
      case .verify(let token, let keySetURL, let algorithms):
        return .token(try await services.verify(token, keySetURL: keySetURL, algorithms: algorithms))
      case .verifyOfIssuer(let token, let issuer, let algorithms):
        return .token(try await services.verify(token, issuer: issuer, algorithms: algorithms))
      case .askVerifier(let question): return .answer(try await services.askVerifier(question))
      case .sign(let claims): return .text(try await services.sign(claims))
      case .post(let form): return .answer(try await services.post(form))
      case .random(let count): return .bytes(await services.random(count))
      case .records(let keys): return .records(try await services.records(keys))
      case .commit(let changes): return .flag(try await services.commit(changes))
      case .derive(let password): return .text(try await services.derive(password: password))
      case .isPassword(let password, let derivation):
        return .flag(try await services.isPassword(password, of: derivation))
      case .send(let mail):
        try await services.send(mail)
        return .done
      case .register(let registration, let challenge):
        return .passkey(try await services.register(registration, for: challenge))
      case .verifyPasskey(let assertion, let passkey, let challenge):
        return .passkey(try await services.verify(assertion, of: passkey, for: challenge))
      case .keep(let identity):
        try await services.keep(identity)
        return .done
      case .isRegistered(let subject, let issuer):
        return .flag(try await services.isRegistered(subject, issuer: issuer))
      case .endSessions(let subject, let issuer):
        try await services.endSessions(of: subject, issuer: issuer)
        return .done
      }
    } catch let failure as KeyServiceFailure {
      return .keyFailure(failure)
    } catch let failure as PasskeyFailure {
      return .passkeyFailure(failure)
    } catch {
      return .callFailure(error as? CallFailure ?? CallFailure("the gateway failed"))
    }
  }
}

/// What came of a call of a service.
enum ServiceAnswer: Codable, Sendable, Equatable {
  case time(Int64)
  case settings([String: String])
  case bytes([UInt8])
  case token(VerifiedToken)
  case answer(CallAnswer)
  case text(String)
  case records([ProviderRecord?])
  case flag(Bool)
  case passkey(Passkey)
  case done
  case keyFailure(KeyServiceFailure)
  case callFailure(CallFailure)
  case passkeyFailure(PasskeyFailure)
}
