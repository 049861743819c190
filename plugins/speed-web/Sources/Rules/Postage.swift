import ProviderKit

/// How many letters may be asked for: from one network address, from there to one address of mail, and to that in all.
/// Letters that tell an owner of a change are not counted.
///
/// Strangers who ask for letters in somebody's name use up what strangers have: the owner's own browser still gets some.
struct Postage: Sendable {
  private static let hour: Int64 = 3_600_000
  private static let fromNetwork = 30
  private static let fromNetworkToAddress = 5
  private static let toAddress = 30

  let turn: Turn

  /// - Parameter isKnown: whether the browser has signed in to the account of the address before.
  /// - Returns: nil where a letter may go, else the seconds after which the next one may.
  func take(to email: EmailAddress, isKnown: Bool = false) async throws(ProviderFailure) -> Int? {
    let network = await turn.services.digest(turn.request.address)
    let address = await turn.services.digest(email.key)
    var limits = [
      Allowance.Limit(key: "letters/network/\(network)", count: Self.fromNetwork, window: Self.hour),
      Allowance.Limit(
        key: "letters/pair/" + (await turn.services.digest("\(network)/\(address)")), count: Self.fromNetworkToAddress,
        window: Self.hour),
    ]
    if !isKnown {
      limits.append(
        Allowance.Limit(key: "letters/address/\(address)", count: Self.toAddress, window: Self.hour))
    }
    for limit in limits {
      if let seconds = try await Allowance.take(limit, turn) { return seconds }
    }
    return nil
  }
}
