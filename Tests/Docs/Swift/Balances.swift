import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The balances of an app's users, for its own server.
struct Balances: Sendable {
  struct Refused: Error { let status: Int }
  struct Balance: Decodable { let balance: Int }
  struct Entry: Decodable { let id: String, balanceAfter: Int }
  private struct Adjustment: Encodable { let amount: Int, reason: String, idempotencyKey: String }

  let api: URL
  let app: Int
  let key: String

  func credit(_ user: String, _ amount: Int, order: String) async throws -> Entry {
    let adjustment = Adjustment(amount: amount, reason: "purchase", idempotencyKey: order)
    return try await call("POST", "\(user)/balance/adjustments", JSONEncoder().encode(adjustment))
  }

  func balance(_ user: String) async throws -> Int { try await (call("GET", "\(user)/balance") as Balance).balance }

  private func call<Answer: Decodable>(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Answer {
    var request = URLRequest(url: api.appendingPathComponent("api/platform/apps/\(app)/users/\(path)"))
    request.httpMethod = method
    request.httpBody = body
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else { throw Refused(status: status) }
    return try JSONDecoder().decode(Answer.self, from: data)
  }
}
