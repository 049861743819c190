import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayProxy

/// Judges the server keys of apps: secrets by which their own services call.
struct ServerKeyGate: Sendable {
  let environment: [String: String]
  let pool: BlockingPool

  /// The app, where the request comes with one of its keys. Keys are read for each request: a new file counts at once, and
  /// these calls are few. Every key is compared, so that the time tells nothing.
  ///
  /// - Throws: `missing_token`, `invalid_token`, the same for an app that is not there.
  func app(
    _ app: Int64, of request: ServiceRequest, in directory: AppDirectory
  ) async throws(Refusal) -> AppDirectory.App {
    let sent = Secret(try request.bearerToken())
    guard let found = directory.apps[app] else { throw .invalidServerKey }
    let (sources, environment) = (found.configuration.serverKeys.map(\.source), environment)
    let isGood: Bool
    do {
      isGood = try await pool.run {
        sources.reduce(false) { isGood, source in source.resolve(environment: environment) == sent || isGood }
      }
    } catch {
      throw .overloaded
    }
    guard isGood else { throw .invalidServerKey }
    return found
  }
}
