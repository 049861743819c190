import GatewayBase
import GatewayProxy
import ProviderKit

/// Judges whether a posted form comes from a page of this gateway that this browser was shown.
enum FormCheck {
  private static let mediaType = "application/x-www-form-urlencoded"

  /// The fields of a posted form, the token left out.
  ///
  /// - Throws: `invalid_request` for what is no form; `forbidden` for one that came from elsewhere.
  static func fields(
    of request: ServiceRequest, browser: BrowserCookie, origin: String
  ) throws(Refusal) -> [String: String] {
    guard isForm(request), let fields = FormFields(request.body) else {
      throw .invalidRequest("This is no form that can be read.")
    }
    guard comesFromHere(request, origin: origin), browser.isKnown,
      let token = fields[PageRequest.formField],
      constantTimeEqual(Array(token.utf8), Array(browser.formToken.utf8))
    else { throw .foreignForm }
    var values = fields.values
    values[PageRequest.formField] = nil
    return values
  }

  private static func isForm(_ request: ServiceRequest) -> Bool {
    let types = request.values(of: "content-type")
    guard types.count == 1, let type = types.first?.split(separator: ";").first else { return false }
    return type.trimmed.lowercased() == mediaType
  }

  /// What the browser itself says of the page, where it says anything. With `Referrer-Policy: no-referrer` it calls the
  /// origin `null` (Fetch standard, section 3.1), so that alone says nothing.
  private static func comesFromHere(_ request: ServiceRequest, origin: String) -> Bool {
    request.values(of: "origin").allSatisfy { $0 == origin || $0 == "null" }
      && request.values(of: "sec-fetch-site").allSatisfy { $0 == "same-origin" || $0 == "none" }
  }
}
