import GatewayPasskeys
import ProviderKit

extension HostServices {
  func register(
    _ registration: PasskeyRegistration, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey {
    try PasskeyCheck.register(registration, for: challenge)
  }

  func verify(
    _ assertion: PasskeyAssertion, of passkey: Passkey, for challenge: PasskeyChallenge
  ) async throws(PasskeyFailure) -> Passkey {
    try PasskeyCheck.verify(assertion, of: passkey, for: challenge)
  }
}
