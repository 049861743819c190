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

  func respond(to request: ServiceRequest) async -> ServiceResponse {
    do throws(Refusal) {
      return try await answer(request)
    } catch {
      return request.path.hasPrefix(Self.root)
        ? HTMLPage.refusal(error, requestID: request.requestID) : .refusal(error, requestID: request.requestID)
    }
  }

  private func answer(_ request: ServiceRequest) async throws(Refusal) -> ServiceResponse {
    let catalog = state.plugins
    let methods = catalog.methods(path: request.path).filter { method in
      [.web, .callback].contains(catalog.purpose(method: method, path: request.path))
    }
    guard !methods.isEmpty else { throw .noRoute }
    guard methods.contains(request.methodText),
      let plugin = catalog.plugin(method: request.methodText, path: request.path)
    else { throw .methodNotAllowed(methods.joined(separator: ", ")) }
    if catalog.purpose(method: request.methodText, path: request.path) == .web {
      return try await webSignIns.begin(request, plugin, in: state)
    }
    return try await webSignIns.finish(request, plugin, in: state)
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
}
