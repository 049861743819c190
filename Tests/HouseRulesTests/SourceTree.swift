import Foundation

/// The project's own files, for the rules that are about their text.
enum SourceTree {
  struct File: Sendable {
    /// Below the package's folder.
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The lines as numbered code, comments taken off.
    var code: [(number: Int, text: Substring)] {
      lines.enumerated().compactMap { index, line in
        let end = line.range(of: "//")?.lowerBound ?? line.endIndex
        let code = line[..<end]
        return code.allSatisfy(\.isWhitespace) ? nil : (index + 1, code)
      }
    }
  }

  /// The package's folder.
  static let root = {
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) { break }
    }
    return folder.path
  }()

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }

  static func text(_ path: String) -> String? { try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) }

  /// Files below `folders` whose names end in one of `endings`.
  static func files(_ folders: [String], endings: [String] = [".swift"]) -> [File] {
    folders.flatMap { folder -> [File] in
      let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
      return names.sorted().compactMap { name in
        guard endings.contains(where: { name.hasSuffix($0) }), !name.contains(".build/") else { return nil }
        let path = "\(folder)/\(name)"
        return text(path).map { File(path: path, text: $0) }
      }
    }
  }

  /// What is built into the product.
  static let product = files(["Sources", "ProviderKit/Sources", "plugins"]).filter { !$0.path.contains("/Tests/") }

  /// All Swift text.
  static let all = files(["Sources", "ProviderKit", "plugins", "Tests"])

  /// Everything that a reader may open.
  static let readable =
    files(
      ["Sources", "ProviderKit", "plugins", "Tests", "bench", "docs", "scripts", "tenants", ".ci"],
      endings: [".swift", ".c", ".h", ".md", ".yaml", ".yml", ".py", ".sh", ".modulemap", ".lua"])
    + ["README.md", "Package.swift", ".gitignore"].compactMap { path in
      text(path).map { File(path: path, text: $0) }
    }
}
