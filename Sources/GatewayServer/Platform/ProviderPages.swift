import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// Pages of plugins on the dash hosts: what the browser is here for is judged with every request, a form is taken only from
/// a page that the browser was shown, and a visit that has ended goes back to the app.
///
/// Nothing of a visit is kept: it is in the query of each page, so reload, back and several windows all work.
struct ProviderPages: Sendable {
  let signIns: ProviderSignIn
  /// Reads logos.
  let pool: BlockingPool

  private var host: ProviderHost { signIns.host }
  private var limit: SignInLimit { signIns.limit }
  private var logger: Logger { signIns.logger }

  /// A request for a page, as it was understood before the provider was asked.
  private struct Call {
    let request: ServiceRequest
    let plugin: Plugin
    let page: PageRequest
    /// Where the visit ends; nil where there is none.
    let end: WebReturn?
    let begunAt: UnixTime
  }

  func respond(
    to request: ServiceRequest, _ plugin: Plugin, in state: PlatformState
  ) async throws(Refusal) -> ServiceResponse {
    // Before the provider looks at what proves who it is.
    let begunAt = host.clock.now
    let isForm = request.method == .post
    if isForm, let refusal = limit.refusal(of: request, as: HTMLPage.refusal) { return refusal }
    let origin = PageOrigin(of: request, publicURL: host.configuration.platform.publicURL)
    let (end, query) = try Self.read(request.query, for: plugin, in: state.directory, at: origin)
    let browser = BrowserCookie(of: request)
    let form = isForm ? try FormCheck.fields(of: request, browser: browser, origin: origin.text) : nil
    guard let provider = plugin.provider else { throw .providerUnavailable }
    let page = PageRequest(
      visit: await visit(end, in: state.directory), path: request.path, query: query, form: form,
      session: ProviderCookie.value(of: plugin.name, in: request), formToken: browser.formToken,
      scriptNonce: WebFlows.newSecret(), languages: request.languages, address: AddressBlock(request.address).text,
      userAgent: request.values(of: "user-agent").first.map(Self.cut), origin: origin.text,
      requestID: request.requestID)
    let call = Call(request: request, plugin: plugin, page: page, end: end, begunAt: begunAt)
    let answer: PageAnswer
    do throws(ProviderFailure) {
      answer = try await provider.respond(to: page, using: host.services(for: plugin, app: end?.app))
    } catch {
      logger.info(
        "a page was refused", .text("provider", plugin.name), .text("code", error.code), .text("reason", error.reason),
        .text("requestId", request.requestID))
      throw Refusal(error)
    }
    do {
      var response = try await self.response(answer, to: call)
      if !browser.isKnown { response.fields.append(browser.field) }
      return response
    } catch {
      throw Refusal(
        error, "a provider's answer to a browser is none", .text("provider", plugin.name),
        .text("requestId", request.requestID), in: logger)
    }
  }

  /// What the browser gets.
  private func response(_ answer: PageAnswer, to call: Call) async throws -> ServiceResponse {
    let cookie = try ProviderCookie.field(answer.session, of: call.plugin.name)
    var response: ServiceResponse
    switch answer.content {
    case .page(let html, let status):
      guard let status = Self.status(status) else { throw PageFault("a page has no such status") }
      response = HTMLPage.provided(
        status, html, scriptNonce: call.page.scriptNonce, target: call.end?.target,
        isSecure: host.configuration.platform.publicURL.scheme == .https)
      if let seconds = answer.retryAfter {
        response.fields.append(ServiceField("Retry-After", String(max(0, seconds))))
      }
    case .redirect(let path):
      guard Self.isPage(path) else { throw PageFault("a redirect leads to no page of this gateway") }
      response = HTMLPage.redirect(to: path)
    case .finished(let outcome):
      guard let end = call.end else { throw PageFault("there was no visit to finish") }
      // Whoever asks for a head alone does not want to sign in.
      guard call.request.method != .head else { return HTMLPage.nothing }
      if call.page.form == nil, let refusal = limit.refusal(of: call.request, as: HTMLPage.refusal) {
        return refusal
      }
      response = HTMLPage.redirect(to: try await target(of: outcome, end, call))
    }
    if let cookie { response.fields.append(cookie) }
    return response
  }

  /// Where a visit ends.
  private func target(of outcome: WebOutcome, _ end: WebReturn, _ call: Call) async throws -> String {
    guard case .identity(let identity) = outcome else { return end.target.failing("access_denied") }
    guard identity.isShared || !end.isLinking else { throw PageFault("an app's own account is offered for linking") }
    return try await signIns.target(
      of: identity, end,
      in: SignInAttempt(
        app: end.app, plugin: call.plugin, request: call.request, begunAt: call.begunAt, logger: logger))
  }

  /// Takes a query apart: where the visit ends, nil where it is none, and the provider's own fields.
  private static func read(
    _ text: String?, for plugin: Plugin, in directory: AppDirectory, at origin: PageOrigin
  ) throws(Refusal) -> (end: WebReturn?, query: [String: String]) {
    guard let query = FormFields((text ?? "").utf8) else { throw .invalidRequest("The query can't be read.") }
    let own = query.values.filter { !WebReturn.names.contains($0.key) }
    guard own.count < query.values.count else { return (nil, own) }
    let end = try WebReturn(query, in: directory, at: origin)
    guard end.app.configuration.providers.contains(plugin.name) else { throw .providerNotEnabled }
    return (end, own)
  }

  private func visit(_ end: WebReturn?, in directory: AppDirectory) async -> Visit? {
    guard let end else { return nil }
    return Visit(
      app: directory.description(of: end.app), logo: await AppLogo.url(of: end.app, on: pool),
      isLinking: end.isLinking, query: end.query)
  }

  /// A status with which a browser shows a page.
  private static func status(_ status: Int) -> UInt16? {
    [200...203, 400...499, 503...503].contains { $0.contains(status) } ? UInt16(status) : nil
  }

  /// Whether a text is a path of the gateway's pages that every browser takes for one.
  private static func isPage(_ text: String) -> Bool {
    text.hasPrefix(Pages.root) && text.utf8.count <= Limits.target && !text.prefix { $0 != "?" }.contains("//")
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") }
  }

  /// The beginning of a text, as much of it as a provider gets.
  private static func cut(_ text: String) -> String {
    var bytes = text.utf8.prefix(Limits.browserText)
    while String(bytes) == nil { bytes = bytes.dropLast() }
    return String(bytes) ?? ""
  }
}
