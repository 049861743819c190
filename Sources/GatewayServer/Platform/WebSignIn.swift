import GatewayBase
import GatewayConfig
import GatewayIdentity
import GatewayPlugins
import GatewayProxy
import ProviderKit

/// Sign-in in a browser through a plugin: begins with a page or a redirect, ends with the provider's answer, and sends
/// the browser to the app.
struct WebSignIn: Sendable {
  let flows: WebFlows
  let signIns: ProviderSignIn

  private var host: ProviderHost { signIns.host }

  /// Begins. `redirect` is judged before anything else is done or shown.
  func begin(
    _ request: ServiceRequest, _ plugin: Plugin, in state: PlatformState
  ) async throws(Refusal) -> ServiceResponse {
    if let refusal = signIns.limit.refusal(of: request, as: HTMLPage.refusal) { return refusal }
    guard let query = FormFields((request.query ?? "").utf8) else {
      throw .invalidRequest("The query can't be read.")
    }
    let end = try WebReturn(query, in: state.directory, at: origin(of: request))
    let app = end.app
    guard app.configuration.providers.contains(plugin.name) else { throw .providerNotEnabled }
    guard !end.isLinking else { throw .invalidRequest("An account of this provider can't be linked to.") }
    guard let provider = plugin.provider else { throw .providerUnavailable }
    let start = WebSignInRequest(
      app: state.directory.description(of: app), callbackURL: callbackURL(request, plugin),
      state: WebFlows.newSecret(), nonce: WebFlows.newSecret(), wantsPage: query["popup"] == "1",
      scriptNonce: WebFlows.newSecret(), requestID: request.requestID)
    let step: WebStep
    do throws(ProviderFailure) {
      step = try await provider.beginWebSignIn(start, using: host.services(for: plugin, app: app))
    } catch {
      throw Refusal(error)
    }
    let cookie = FlowCookie.values(in: request).first ?? WebFlows.newSecret()
    do {
      try await flows.begin(
        WebFlows.Flow(
          app: app.configuration.appID, provider: plugin.name, nonce: start.nonce, redirect: end.target.text,
          callback: start.callbackURL, challenge: end.challenge, cookie: cookie), state: start.state)
    } catch {
      throw failure(error, request)
    }
    var response =
      switch step {
      case .redirect(let url): HTMLPage.redirect(to: url)
      case .page(let html, let origin):
        HTMLPage.page(200, html, scriptNonce: start.scriptNonce, scriptOrigin: origin)
      }
    response.fields.append(FlowCookie.field(cookie))
    return response
  }

  /// Ends. From here on every outcome goes to the app's target, which the flow has kept.
  func finish(
    _ request: ServiceRequest, _ plugin: Plugin, in state: PlatformState
  ) async throws(Refusal) -> ServiceResponse {
    if let refusal = signIns.limit.refusal(of: request, as: HTMLPage.refusal) { return refusal }
    guard let fields = FormFields(request.body), let secret = fields["state"] else {
      throw .invalidRequest("This is no answer to a sign-in.")
    }
    let found: WebFlows.Flow?
    do {
      found = try await flows.take(state: secret)
    } catch {
      throw failure(error, request)
    }
    guard let flow = found, flow.provider == plugin.name, let app = state.directory.apps[flow.app] else {
      throw .invalidState
    }
    // Judged again, as the target is: the app may have dropped either meanwhile.
    guard app.configuration.providers.contains(plugin.name) else { throw .providerNotEnabled }
    let end = try WebReturn(
      app, redirect: flow.redirect, challenge: flow.challenge, at: origin(of: request))
    let attempt = SignInAttempt(app: app, plugin: plugin, request: request, logger: signIns.logger)
    guard flow.isBound(to: FlowCookie.values(in: request)) else {
      attempt.log.refused("another browser began this sign-in")
      return HTMLPage.redirect(to: end.target.failing("invalid_identity_token"))
    }
    return HTMLPage.redirect(to: try await outcome(of: flow, fields, end, in: attempt, state))
  }

  /// Where the browser goes.
  private func outcome(
    of flow: WebFlows.Flow, _ fields: FormFields, _ end: WebReturn, in attempt: SignInAttempt, _ state: PlatformState
  ) async throws(Refusal) -> String {
    let provider = try attempt.provider
    let outcome: WebOutcome
    do throws(ProviderFailure) {
      outcome = try await provider.finishWebSignIn(
        WebCallback(
          app: state.directory.description(of: end.app), callbackURL: flow.callback, nonce: flow.nonce,
          fields: fields.values, requestID: attempt.request.requestID),
        using: host.services(for: attempt.plugin, app: end.app))
    } catch {
      attempt.log.refused(error)
      return try Self.target(end.target, after: Refusal(error))
    }
    guard case .identity(let identity) = outcome else { return end.target.failing("access_denied") }
    do throws(Refusal) {
      return try await signIns.target(of: identity, end, in: attempt)
    } catch {
      return try Self.target(end.target, after: error)
    }
  }

  /// What is out of reach at present is told as a page: the app could do nothing with it.
  private static func target(_ target: RedirectTarget, after refusal: Refusal) throws(Refusal) -> String {
    guard refusal.status < 500 else { throw refusal }
    return target.failing("invalid_identity_token")
  }

  private func origin(of request: ServiceRequest) -> PageOrigin {
    PageOrigin(of: request, publicURL: host.configuration.platform.publicURL)
  }

  /// On the host that the browser is at, under the scheme and the port of the public URL.
  private func callbackURL(_ request: ServiceRequest, _ plugin: Plugin) -> String {
    let path = plugin.routes.first { $0.purpose == .callback }?.path ?? request.path
    let url = host.configuration.platform.publicURL
    let port = url.port == url.scheme.defaultPort ? "" : ":\(url.port)"
    return "\(url.scheme.rawValue)://\(request.host)\(port)\(path)"
  }

  private func failure(_ error: any Error, _ request: ServiceRequest) -> Refusal {
    Refusal(error, "a sign-in in a browser failed", .text("requestId", request.requestID), in: signIns.logger)
  }
}
