import Foundation
import Testing

@Suite("House rules: text") struct TextTests {
  @Test("a Swift file has one subject and 400 lines at most")
  func sizes() {
    for file in SourceTree.all { #expect(file.lines.count <= 401, "\(file.path)") }
  }

  @Test("nothing is left for later")
  func leftovers() throws {
    // Spelled in halves, so that this file obeys itself.
    let word = try Regex("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b")
    for file in SourceTree.readable {
      let found = file.lines.firstIndex { $0.firstMatch(of: word) != nil }
      #expect(found == nil, "\(file.path):\((found ?? 0) + 1)")
    }
  }

  @Test("no file names a folder of somebody's machine")
  func absolutePaths() throws {
    let path = try Regex("[\"'` =(](?:/ho" + "me/|/wo" + "rk/|/Us" + "ers/|/ro" + "ot/)")
    for file in SourceTree.readable {
      let found = file.lines.firstIndex { $0.firstMatch(of: path) != nil }
      #expect(found == nil, "\(file.path):\((found ?? 0) + 1)")
    }
  }

  @Test("every link of the README and the documents leads to a file")
  func links() throws {
    let link = try Regex(#"\]\(([\w./+-]+)(?:#[^)]*)?\)"#)
    for document in SourceTree.readable where document.path.hasSuffix(".md") {
      let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
      for match in document.text.matches(of: link) {
        guard let path = match[1].substring.map(String.init) else { continue }
        #expect(SourceTree.exists("\(folder)/\(path)"), "\(document.path) links to \(path)")
      }
    }
  }

  @Test("every path that the README and the documents name is there")
  func namedPaths() throws {
    let name = try Regex(#"`((?:[\w.-]+/)*[\w.-]+(?:/|\.(?:swift|md|yaml|sh|py|c|h)))`"#)
    for document in SourceTree.readable where document.path.hasSuffix(".md") {
      let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
      for match in document.text.matches(of: name) {
        guard let path = match[1].substring.map(String.init), path.contains("/") else { continue }
        // Made while it runs, or the user's own.
        if ["var/", "secrets/", "certs/", "bench/results/"].contains(where: { path.hasPrefix($0) }) { continue }
        #expect(SourceTree.exists(path) || SourceTree.exists("\(folder)/\(path)"), "\(document.path) names \(path)")
      }
    }
  }
}
