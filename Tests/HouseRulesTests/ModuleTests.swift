import Foundation
import Testing

@Suite("House rules: modules") struct ModuleTests {
  /// Who may see a C library: no type of it leaves that module.
  private let ownersOfC = [
    "CLinux": ["GatewayIO", "GatewayPlugins", "GatewayTesting"], "COpenSSL": ["GatewayCrypto", "GatewayTLS"],
    "CFIDO2": ["GatewayPasskeys"], "CYAML": ["GatewayConfig"], "CIDN2": ["GatewayConfig"], "CSQLite": ["GatewayStore"],
    "CMariaDB": ["GatewayStore"],
    "CCurl": ["GatewayOutbound"], "CNghttp2": ["GatewayHTTP", "GatewayTesting"],
    "CProviderNote": ["ProviderKit", "apple-native"],
  ]

  /// What comes with the toolchain.
  private let system: Set = ["Glibc", "FoundationEssentials", "Synchronization", "Swift", "_Concurrency"]

  private func imports(_ file: SourceTree.File) throws -> [String] {
    let line = try Regex(
      #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:package |public |internal |private )?import\s+(?:(?:struct|class|enum|func|protocol) )?(\w+)"#
    )
    return file.code.compactMap { code in code.text.firstMatch(of: line)?[1].substring.map(String.init) }
  }

  /// The module that a file of the product belongs to.
  private func module(_ file: SourceTree.File) -> String {
    let parts = file.path.split(separator: "/").map(String.init)
    return parts[0] == "ProviderKit" ? parts[2] : parts[1]
  }

  @Test("dependencies point down the list of targets only")
  func order() throws {
    let modules = try Manifest().modules
    #expect(modules.map(\.name).contains("GatewayServer"))
    for (index, module) in modules.enumerated() {
      let above = Set(modules[index...].map(\.name))
      #expect(above.isDisjoint(with: module.dependencies), "\(module.name)")
    }
  }

  @Test("a file imports what its target declares and nothing else")
  func declared() throws {
    let declared = Dictionary(uniqueKeysWithValues: try Manifest().modules.map { ($0.name, Set($0.dependencies)) })
    for file in SourceTree.product {
      guard let allowed = declared[module(file)] else { continue }
      let foreign = Set(try imports(file)).subtracting(allowed).subtracting(system)
      #expect(foreign.isEmpty, "\(file.path)")
    }
  }

  @Test("a target declares nothing that none of its files imports")
  func needed() throws {
    var imported: [String: Set<String>] = [:]
    for file in SourceTree.product { imported[module(file), default: []].formUnion(try imports(file)) }
    for target in try Manifest().modules {
      guard let used = imported[target.name] else { continue }
      #expect(used.isSuperset(of: target.dependencies), "\(target.name)")
    }
  }

  @Test("each C library has one owner")
  func owners() throws {
    for file in SourceTree.product {
      for name in try imports(file) {
        guard let owners = ownersOfC[name] else { continue }
        #expect(owners.contains(module(file)), "\(file.path) imports \(name)")
      }
    }
  }

  @Test("no part of the gateway imports Foundation, and what requests pass through not even its essentials")
  func foundation() throws {
    let dataPlane: Set = ["GatewayBase", "GatewayIO", "GatewayTLS", "GatewayHTTP", "GatewayProxy"]
    // The library for apps is no part of it.
    for file in SourceTree.product where module(file) != "SpeedAuth" {
      let imports = try imports(file)
      #expect(!imports.contains("Foundation") && !imports.contains("FoundationNetworking"), "\(file.path)")
      if dataPlane.contains(module(file)) { #expect(!imports.contains("FoundationEssentials"), "\(file.path)") }
    }
  }

  @Test("the core names no provider")
  func providerNames() throws {
    let providers = ["apple-native", "AppleNative", "speed-web", "SpeedWeb"]
    for file in SourceTree.product where file.path.hasPrefix("Sources/Gateway") {
      if ["GatewayTesting", "GatewayConfig"].contains(module(file)) { continue }
      #expect(!file.code.contains { line in providers.contains(where: line.text.contains) }, "\(file.path)")
    }
  }

  @Test("no module has a type of its own name")
  func names() throws {
    for file in SourceTree.product {
      let declaration = try Regex("(?:class|struct|enum|protocol|actor)\\s+\(module(file).replacing("-", with: ""))\\b")
      #expect(!file.code.contains { $0.text.firstMatch(of: declaration) != nil }, "\(file.path)")
    }
  }
}
