import Foundation
import FuzzTargets

/// The seeds of a target, in the order of their names.
enum Corpus {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz/corpora")

  static func seeds(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: target.name)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: folder.appending(path: name))))
    }
  }
}
