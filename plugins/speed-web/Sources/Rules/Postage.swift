import ProviderKit

/// How many letters strangers may have sent: to one address, and from one network address. Letters that tell an owner of
/// a change are not counted.
struct Postage: Sendable {
  private static let window: Int64 = 3_600_000
  private static let toAddress = 5
  private static let fromNetwork = 30

  let turn: Turn

  /// - Returns: nil where a letter may go, else the seconds after which the next one may.
  func take(to email: EmailAddress) async throws(ProviderFailure) -> Int? {
    let network = Allowance.Limit(
      key: "letters/network/" + (await turn.services.digest(turn.request.address)), count: Self.fromNetwork,
      window: Self.window)
    if let seconds = try await Allowance.take(network, turn) { return seconds }
    let address = Allowance.Limit(
      key: "letters/address/" + (await turn.services.digest(email.key)), count: Self.toAddress, window: Self.window)
    return try await Allowance.take(address, turn)
  }
}
