import GatewayBase
import GatewayConfig
import GatewayHTTP
import GatewayProxy
import GatewayTesting
import Testing

@testable import GatewayServer

/// The file of an app as the gateway reads it.
func file(_ yaml: String, path: String = "app.yaml") -> GatewayConfig.TenantFile {
  GatewayConfig.TenantFile.read(path, bytes: Array(yaml.utf8), environment: [:])
}

/// A tenant file's text.
func yaml(_ id: Int, _ domain: String, bundleIDs: [String] = [], port: UInt16 = 9) -> String {
  GatewayTesting.TenantFile(id, domain, bundleIDs: bundleIDs, ports: [port]).yaml
}

/// The set of these apps, each in a file named after its place.
func set(_ files: [String]) -> TenantSet {
  TenantSet.assemble(files.enumerated().map { file($1, path: "\($0).yaml") }, reserved: [])
}

/// The apps of these files, as a gateway with no history loads them.
func directory(_ files: [String], with materials: TenantMaterials = TenantMaterials()) -> AppDirectory {
  let set = set(files)
  var directory = AppDirectory()
  let apps = files.indices.compactMap { set.loaded("\($0).yaml") }.map {
    AppDirectory.App(
      shared: $0, tenant: TenantCompiler.tenant($0.value, replacing: nil, with: materials))
  }
  directory.replace([], with: apps, bundleConflicts: set.bundleConflicts)
  return directory
}

func gateway(_ yaml: String, environment: [String: String] = [:]) throws -> GatewayConfiguration {
  let file = GatewayFile.read("/nowhere/gateway.yaml", bytes: Array(yaml.utf8), environment: environment)
  try #require(file.isUsable, "\(file.problems.map(\.message))")
  return file.configuration
}

func request(
  _ method: HTTPMethod = .get, _ path: String, query: String? = nil, fields: [(String, String)] = [],
  host: String = "localhost"
) -> ServiceRequest {
  ServiceRequest(
    method: method, methodText: "\(method.name)", host: host, path: path, query: query,
    fields: fields.map { ServiceField($0.0, $0.1) }, body: [], address: .v4(0x7F00_0001), requestID: "r-1")
}

extension ServiceResponse {
  func value(of name: String) -> String? { fields.first { $0.name == name }?.value }

  var text: String { String(decoding: body, as: UTF8.self) }
}
