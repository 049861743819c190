import GatewayBase
import GatewayProxy
import ProviderKit

/// Pages of the dash hosts: nothing of a request stands in them unescaped, no other site may frame them, no script runs
/// that is not the gateway's own.
enum HTMLPage {
  /// A page that says why something does not go on. It links nowhere.
  static func refusal(_ refusal: Refusal, requestID: String) -> ServiceResponse {
    let html: HTML = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Sign-in does not go on</title>
      <main>
      <h1>Sign-in does not go on</h1>
      <p>\(refusal.message)</p>
      <p><small>\(refusal.code), request \(requestID)</small></p>
      </main>
      </html>

      """
    var response = page(refusal.status, html, scriptNonce: nil, scriptOrigin: nil)
    response.code = refusal.code
    response.closesConnection = refusal.closesConnection
    response.fields.append(ServiceField("X-Speed-Error", refusal.code))
    if let seconds = refusal.retryAfter { response.fields.append(ServiceField("Retry-After", String(seconds))) }
    if let allow = refusal.allow { response.fields.append(ServiceField("Allow", allow)) }
    return response
  }

  /// A page whose scripts and styles carry a nonce, or come from an origin.
  static func page(_ status: UInt16, _ html: HTML, scriptNonce: String?, scriptOrigin: String?) -> ServiceResponse {
    var policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    if let scriptNonce {
      let origin = scriptOrigin.map { " \($0)" } ?? ""
      policy += "; script-src 'nonce-\(scriptNonce)'\(origin); style-src 'unsafe-inline'"
      policy += "; connect-src 'self'\(origin); img-src data:\(origin); frame-src\(origin.isEmpty ? " 'none'" : origin)"
    } else {
      policy += "; form-action 'none'"
    }
    return ServiceResponse(
      status,
      fields: [
        ServiceField("Content-Type", "text/html; charset=utf-8"), ServiceField("Content-Security-Policy", policy),
        ServiceField("X-Content-Type-Options", "nosniff"),
      ] + unshared, body: Array(html.markup.utf8))
  }

  /// A page of a provider: scripts and styles carry a nonce, nothing comes from elsewhere, and forms end here or at the
  /// target of the visit.
  static func provided(
    _ status: UInt16, _ html: HTML, scriptNonce: String, target: RedirectTarget?, isSecure: Bool
  ) -> ServiceResponse {
    let nonce = "'nonce-\(scriptNonce)'"
    let forms = target.map { "'self' \($0.formAction)" } ?? "'self'"
    let policy =
      "default-src 'none'; script-src \(nonce); style-src \(nonce); img-src data:; connect-src 'none'; base-uri 'none'; "
      + "frame-ancestors 'none'; form-action \(forms)"
    return ServiceResponse(
      status,
      fields: [
        ServiceField("Content-Type", "text/html; charset=utf-8"), ServiceField("Content-Security-Policy", policy),
        ServiceField("X-Content-Type-Options", "nosniff"),
        ServiceField("Permissions-Policy", permissions), ServiceField("Cross-Origin-Opener-Policy", "same-origin"),
        ServiceField("Vary", "Accept-Language, Cookie"),
      ] + unshared + (isSecure ? [ServiceField("Strict-Transport-Security", "max-age=31536000")] : []),
      body: Array(html.markup.utf8))
  }

  /// What a page may ask the browser for: passkeys, and no more.
  private static let permissions =
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), "
    + "publickey-credentials-get=(self)"

  /// An answer that shows nothing.
  static var nothing: ServiceResponse { ServiceResponse(200, fields: unshared) }

  /// Sends the browser on, with GET.
  static func redirect(to url: String) -> ServiceResponse {
    ServiceResponse(303, fields: [ServiceField("Location", url)] + unshared)
  }

  /// A URL may hold a token: no cache keeps the answer, and no other site hears where the browser came from.
  private static var unshared: [ServiceField] {
    [ServiceField("Cache-Control", "no-store"), ServiceField("Referrer-Policy", "no-referrer")]
  }
}
