import Glibc

/// Files that a command writes for people.
package enum NewFile {
  package struct Failure: Error, Sendable, CustomStringConvertible {
    /// Whether something has the name already.
    package let isThere: Bool
    package let description: String
  }

  /// Makes a folder where there is none; those above it must be there.
  package static func makeFolder(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o755) != 0, errno != EEXIST else { return }
    throw failure("the folder \(path) can't be made")
  }

  /// Makes a file that is not there yet, whole or not at all.
  ///
  /// - Throws: `Failure` with `isThere` where it is.
  package static func write(_ text: String, to path: String) throws(Failure) {
    let draft = try draft(of: text, beside: path)
    defer { unsafe unlink(draft) }
    // Unlike a rename, a link does not replace what has the name.
    guard unsafe link(draft, path) == 0 else { throw failure("\(path) can't be written") }
  }

  /// Makes a file, in the place of one that has the name.
  package static func replace(_ path: String, with text: String) throws(Failure) {
    let draft = try draft(of: text, beside: path)
    guard unsafe rename(draft, path) == 0 else {
      let failure = failure("\(path) can't be written")
      unsafe unlink(draft)
      throw failure
    }
  }

  /// A complete file beside `path` under a name of its own, which begins with a dot.
  private static func draft(of text: String, beside path: String) throws(Failure) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var template = Array("\(folder).new-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw failure("\(path) can't be written") }
    let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { close(descriptor) }
    guard WholeWrite.write(Array(text.utf8), to: descriptor) else {
      let failure = failure("\(path) can't be written")
      unsafe unlink(draft)
      throw failure
    }
    fchmod(descriptor, 0o644)
    return draft
  }

  private static func failure(_ what: String) -> Failure {
    Failure(isThere: errno == EEXIST, description: "\(what): \(unsafe String(cString: strerror(errno)))")
  }
}
