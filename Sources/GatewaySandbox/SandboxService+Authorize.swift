import GatewayBase
import GatewayProxy
import ProviderKit

// Apple's page in a browser: who opens it is a new user, unless the query names one, and says yes or no by a button.
extension SandboxService {
  func authorize(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let query = FormFields(Array((request.query ?? "").utf8)), let client = query["client_id"],
      let target = query["redirect_uri"], let url = try? ServiceURL(target), query["response_mode"] == "form_post"
    else { throw Refusal.invalidRequest("Send client_id, redirect_uri and response_mode=form_post.") }
    var members: [String: JSONValue] = [
      "aud": .string(client), "code": .bool(true), "redirectURI": .string(target),
      "email": .string("jane@example.com"), "email_verified": .bool(true),
    ]
    members["nonce"] = query["nonce"].map { .string($0) }
    members["sub"] = query["sub"].map { .string($0) }
    let mint = IdentityTokenMint(
      try IdentityTokenRequest(parsing: JSONValue.object(members).jsonText, now: clock.now),
      issuer: issuer ?? Self.issuer(of: request), keys: state.withLock { $0.keys })
    let minted = try await pool.run { try mint.mint() }
    let answer = keep([minted])[0]
    let fields: [(String, String?)] = [
      ("state", query["state"]), ("id_token", answer["identityToken"]?.string),
      ("code", answer["authorizationCode"]?.string), ("user", Self.user),
    ]
    let cancelled: [(String, String?)] = [("state", query["state"]), ("error", "user_cancelled_authorize")]
    let html: HTML = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>The sandbox's Apple</title>
      <h1>Sign in to \(client)</h1>
      \(Self.form(url.description, fields, button: "Continue as Jane Doe"))
      \(Self.form(url.description, cancelled, button: "Cancel"))
      </html>

      """
    return ServiceResponse(
      200,
      fields: [ServiceField("Content-Type", "text/html; charset=utf-8"), ServiceField("Cache-Control", "no-store")],
      body: Array(html.markup.utf8))
  }

  /// What comes beside the token, as Apple writes it.
  private static var user: String {
    #"{"name":{"firstName":"Jane","lastName":"Doe"},"email":"jane@example.com"}"#
  }

  private static func form(_ target: String, _ fields: [(String, String?)], button: String) -> HTML {
    let inputs = fields.compactMap { name, value -> HTML? in
      value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" }
    }
    return "<form method=\"post\" action=\"\(target)\">\(inputs)<button>\(button)</button></form>"
  }
}
