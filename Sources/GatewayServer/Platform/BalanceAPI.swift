import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayIdentity
import GatewayProxy

/// The balances of an app's users, for the app's own server.
struct BalanceAPI: Sendable {
  private static let prefix = "/api/platform/apps/"
  private static let usualLimit = 50
  private static let highestLimit = 200

  let keys: ServerKeyGate
  let accounts: Accounts
  let logger: Logger

  /// What a path names.
  private struct Target {
    let app: Int64
    let user: String
    let isAdjustments: Bool

    /// - Returns: nil for a path of something else.
    init?(_ path: String) {
      guard path.hasPrefix(BalanceAPI.prefix) else { return nil }
      let parts = path.dropFirst(BalanceAPI.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 4 || parts.count == 5, parts[1] == "users", parts[3] == "balance", !parts[2].isEmpty,
        parts.count == 4 || parts[4] == "adjustments", let app = Int64(parts[0]), app > 0, String(app) == parts[0]
      else { return nil }
      self.app = app
      user = String(parts[2])
      isAdjustments = parts.count == 5
    }
  }

  /// Whether a path is one of those that take a server key.
  static func takes(_ path: String) -> Bool { path.hasPrefix(prefix) }

  /// - Returns: nil for a path of something else.
  func respond(to request: ServiceRequest, in directory: AppDirectory) async throws(Refusal) -> ServiceResponse? {
    guard let target = Target(request.path) else { return nil }
    try request.require(target.isAdjustments ? [.get, .head, .post] : [.get, .head])
    let app = try await keys.app(target.app, of: request, in: directory)
    do {
      guard let user = try await accounts.user(named: target.user, app: target.app) else { throw Refusal.unknownUser }
      if request.method == .post { return try await adjust(user, of: app, request) }
      return target.isAdjustments
        ? try await list(user, app: target.app, request) : try await show(user, app: target.app)
    } catch let failure as BalanceFailure {
      throw Refusal(failure)
    } catch {
      throw Refusal(
        error, "a call of an app's server failed", .integer("app", target.app),
        .text("requestId", request.requestID), in: logger)
    }
  }

  /// A regular account's balance that all apps share is kept by nobody yet.
  private func show(_ user: String, app: Int64) async throws -> ServiceResponse {
    let balance = try await accounts.balance(user: user, app: app)
    return .json(200, Array("{\"balance\":\(balance),\"speedBalance\":null}".utf8))
  }

  private func adjust(
    _ user: String, of app: AppDirectory.App, _ request: ServiceRequest
  ) async throws -> ServiceResponse {
    guard app.configuration.usage.source == .local else { throw Refusal.usageSourceNotLocal }
    let (entry, isNew) = try await accounts.adjust(
      try Self.adjustment(try request.jsonObject()), user: user, app: app.configuration.appID,
      from: request.auditOrigin)
    return .json(isNew ? 201 : 200, entry.json.jsonText)
  }

  private static func adjustment(_ body: JSONValue) throws(Refusal) -> BalanceAdjustment {
    guard let amount = body["amount"]?.integer, amount != 0,
      (-BalanceAdjustment.highest...BalanceAdjustment.highest).contains(amount)
    else { throw .invalidRequest("amount is an integer, not 0, of 10^15 at most.") }
    guard let reason = body["reason"]?.string.flatMap(BalanceAdjustment.Reason.init) else {
      throw .invalidRequest("reason is purchase, gift, refund or correction.")
    }
    guard let key = body["idempotencyKey"]?.string,
      (1...BalanceAdjustment.keyCharacters).contains(key.unicodeScalars.count)
    else { throw .invalidRequest("idempotencyKey is a string of 1 to 200 characters.") }
    let reference: String?
    switch body["reference"] {
    case nil, .null: reference = nil
    case .string(let text) where text.unicodeScalars.count <= BalanceAdjustment.referenceCharacters: reference = text
    default: throw .invalidRequest("reference is a string of 200 characters at most.")
    }
    return BalanceAdjustment(amount: amount, reason: reason, key: key, reference: reference)
  }

  /// Newest first; `cursor` is where the next page begins, null behind the last one.
  private func list(_ user: String, app: Int64, _ request: ServiceRequest) async throws -> ServiceResponse {
    let (before, limit) = try Self.page(request.query)
    let entries = try await accounts.adjustments(user: user, app: app, before: before, limit: limit + 1)
    let page = entries.prefix(limit)
    let next: JSONValue =
      entries.count > limit ? page.last.map { .string(String($0.sequence)) } ?? .null : .null
    let body = JSONValue.object(["adjustments": .array(page.map(\.json)), "cursor": next])
    return .json(200, body.jsonText)
  }

  private static func page(_ query: String?) throws(Refusal) -> (before: Int64?, limit: Int) {
    guard let fields = FormFields(Array((query ?? "").utf8)) else { throw .invalidRequest("The query is malformed.") }
    var (before, limit) = (Int64?.none, usualLimit)
    if let text = fields["cursor"] {
      guard let sequence = Int64(text), sequence > 0 else { throw .invalidRequest("cursor is none of these answers'.") }
      before = sequence
    }
    if let text = fields["limit"] {
      guard let count = Int(text), (1...highestLimit).contains(count) else {
        throw .invalidRequest("limit is 1 to \(highestLimit).")
      }
      limit = count
    }
    return (before, limit)
  }
}

extension Refusal {
  fileprivate init(_ failure: BalanceFailure) {
    self =
      switch failure {
      case .unknownUser: .unknownUser
      case .idempotencyConflict: .idempotencyConflict
      case .insufficient: .insufficientBalance
      case .tooHigh: .invalidRequest("The balance would be over 10^15.")
      }
  }
}
