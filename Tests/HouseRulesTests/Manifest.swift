import Foundation

/// The targets of Package.swift as its text lists them.
struct Manifest {
  struct Target {
    let name: String
    let dependencies: [String]
  }

  /// Modules of the gateway, in the order of the file.
  let modules: [Target]

  init() throws {
    let text = SourceTree.text("Package.swift") ?? ""
    let call = try Regex(
      #"(?:library\(|\.executableTarget\(\s*name:|\.target\(\s*name:)\s*"(\w+)",[^\[\]]*\[([^\]]*)\]"#)
    let name = try Regex(#""(\w+)"|(providerKit|providerNote)"#)
    modules = text.matches(of: call).compactMap { match in
      guard let module = match[1].substring, let list = match[2].substring else { return nil }
      let dependencies = list.matches(of: name).compactMap { found in
        (found[1].substring ?? found[2].substring).map { $0 == "providerKit" ? "ProviderKit" : String($0) }
      }
      return Target(name: String(module), dependencies: dependencies)
    }
  }
}
