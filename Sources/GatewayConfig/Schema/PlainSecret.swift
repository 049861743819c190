/// Finds secrets that were written into a file, where backups, chats and histories would carry them.
enum PlainSecret {
  private static let names: Set<String> = [
    "key", "privatekey", "password", "passwd", "passphrase", "pass", "secret", "clientsecret", "token", "apikey",
    "credential", "credentials", "p8", "pem", "value",
  ]

  /// Whether a key of this name would hold a secret in plain text.
  static func isNamed(_ key: String) -> Bool {
    names.contains(key.lowercased().filter { $0 != "-" && $0 != "_" })
  }

  static func report(_ node: Node, key: String, _ schema: MappingSchema, _ diagnostics: Diagnostics) {
    let references = schema.rows.map(\.name).filter {
      $0 == "env" || $0 == "file" || $0 == key + "Env" || $0 == key + "File"
    }
    let names = references.isEmpty ? "env or file" : references.joined(separator: " or ")
    diagnostics.error(
      .plainSecret, at: node.place, "a secret in plain text",
      hint: "keep it out of the file: name its variable or its file by \(names), and replace the secret")
  }

  /// Whether a text of the file may hold a PEM block: as it is written, or by an escape.
  static func mayBe(in bytes: [UInt8]) -> Bool {
    var dashes = 0
    for byte in bytes {
      if byte == UInt8(ascii: "\\") { return true }
      if byte == UInt8(ascii: "-") {
        dashes += 1
      } else {
        if dashes >= 5 && byte == UInt8(ascii: "B") { return true }
        dashes = 0
      }
    }
    return false
  }

  /// Reports every PEM block in the tree, whatever its key; notes (`x-…`) included.
  static func search(_ node: Node, _ diagnostics: Diagnostics) {
    switch node.content {
    case .scalar(let text, _):
      guard text.utf8.count >= 10, text.holds("-----BEGIN") else { return }
      diagnostics.error(
        .plainSecret, at: node.place, "a key in plain text",
        hint: "keep it out of the file: name its variable by env or its file by file, and replace the key")
    case .sequence(let items): for item in items { search(item, diagnostics) }
    case .mapping(let entries): for entry in entries { search(entry.value, diagnostics) }
    }
  }
}
