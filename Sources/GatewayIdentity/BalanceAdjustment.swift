import GatewayBase
import GatewayStore

/// A change of an account's balance in an app, as the app's server asks for it.
package struct BalanceAdjustment: Sendable, Equatable {
  package enum Reason: String, Sendable, CaseIterable {
    case purchase, gift, refund, correction
  }

  /// Unicode scalars of an idempotency key and of a reference.
  package static let keyCharacters = 200
  package static let referenceCharacters = 200
  /// What an amount may be at most, and at least below zero.
  package static let highest = Balance.highest

  let amount: Int64
  let reason: Reason
  let key: String
  let reference: String?

  /// - Parameters:
  ///   - amount: not 0, and `highest` at most, above or below zero.
  ///   - key: of which the app uses each for one adjustment: 1 to `keyCharacters` long.
  ///   - reference: of the app's own; `referenceCharacters` long at most.
  package init(amount: Int64, reason: Reason, key: String, reference: String?) {
    self.amount = amount
    self.reason = reason
    self.key = key
    self.reference = reference
  }
}

/// An adjustment that was made.
package struct BalanceEntry: Sendable, Equatable {
  /// Rises with time.
  package let sequence: Int64
  package let adjustment: BalanceAdjustment
  /// The balance that it left.
  package let balanceAfter: Int64
  package let createdAt: UnixTime

  static let columns = "seq, amount, reason, idempotency_key, reference, balance_after, created_at"

  init(row: Row) throws(StoreError) {
    sequence = try row.integer(0)
    let reason = try row.text(2)
    adjustment = BalanceAdjustment(
      amount: try row.integer(1), reason: BalanceAdjustment.Reason(rawValue: reason) ?? .correction,
      key: try row.text(3), reference: try row.optionalText(4))
    balanceAfter = try row.integer(5)
    createdAt = UnixTime(milliseconds: try row.integer(6))
  }

  /// As the API answers it.
  package var json: JSONValue {
    .object([
      "id": .string(String(sequence)), "amount": .integer(adjustment.amount),
      "reason": .string(adjustment.reason.rawValue), "idempotencyKey": .string(adjustment.key),
      "reference": adjustment.reference.map { .string($0) } ?? .null, "balanceAfter": .integer(balanceAfter),
      "createdAt": .string(createdAt.rfc3339),
    ])
  }
}

/// Why a balance was not adjusted.
package enum BalanceFailure: Error, Sendable, Equatable {
  /// The app has no such user.
  case unknownUser
  /// The key was used for another adjustment.
  case idempotencyConflict
  /// It would go below zero.
  case insufficient
  /// It would go over what a balance may be.
  case tooHigh
}
