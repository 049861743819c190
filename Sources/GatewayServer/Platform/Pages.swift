import GatewayBase
import GatewayPlugins
import GatewayProxy

/// The pages of the dash hosts, all below `/platform/`, where what is refused is told as a page too. The API does not
/// answer here.
struct Pages: Service {
  /// Where pages are.
  static let root = "/platform/"

  let state: PlatformState
  let webSignIns: WebSignIn
  let pages: ProviderPages

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    do throws(Refusal) {
      return try await answer(request)
    } catch {
      return response(to: error, target: request.path, requestID: request.requestID)
    }
  }

  func response(to refusal: Refusal, target: String?, requestID: String) -> ServiceResponse {
    target?.hasPrefix(Self.root) == true
      ? HTMLPage.refusal(refusal, requestID: requestID) : .refusal(refusal, requestID: requestID)
  }

  private func answer(_ request: ServiceRequest) async throws(Refusal) -> ServiceResponse {
    let catalog = state.plugins
    let methods = catalog.methods(path: request.path).filter { method in
      [.web, .callback, .pages].contains(catalog.purpose(method: method, path: request.path))
    }
    guard !methods.isEmpty else { throw .noRoute }
    // A page has a head of its own for whoever asks for that alone; what is not a page begins or ends something.
    let isHead = request.method == .head && catalog.purpose(method: "GET", path: request.path) == .pages
    let method = isHead ? "GET" : request.methodText
    guard methods.contains(method), let plugin = catalog.plugin(method: method, path: request.path),
      let purpose = catalog.purpose(method: method, path: request.path)
    else { throw .methodNotAllowed(methods.joined(separator: ", ")) }
    switch purpose {
    case .pages: return try await pages.respond(to: request, plugin, in: state)
    case .web: return try await webSignIns.begin(request, plugin, in: state)
    case .callback: return try await webSignIns.finish(request, plugin, in: state)
    case .signIn, .notices, .tickets: throw .noRoute
    }
  }
}

/// A host of both, as on a developer's machine: pages below their root, the API elsewhere.
struct PagesAndAPI: Service {
  let pages: any Service
  let api: any Service

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    await request.path.hasPrefix(Pages.root) ? pages.respond(to: request) : api.respond(to: request)
  }

  func fields(forOrigin origin: String?) -> [ServiceField] { api.fields(forOrigin: origin) }

  func response(to refusal: Refusal, target: String?, requestID: String) -> ServiceResponse {
    (target?.hasPrefix(Pages.root) == true ? pages : api).response(to: refusal, target: target, requestID: requestID)
  }
}
