import ProviderKit

/// What a test reads of a page: its tags with their attributes, in order.
struct Markup {
  struct Tag {
    let name: String
    let attributes: [String: String]

    subscript(_ name: String) -> String? { attributes[name] }
  }

  let text: String
  let tags: [Tag]

  init(_ html: HTML) {
    text = html.markup
    // What scripts and styles hold is no markup.
    let markup = text.replacing(#/(<(script|style)[^>]*>).*?</\2>/#.dotMatchesNewlines()) { $0.1 }
    tags = markup.matches(of: #/<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*/?>/#).map { match in
      var attributes: [String: String] = [:]
      for attribute in match.2.matches(of: #/([a-z-]+)(?:="([^"]*)")?/#) {
        attributes[String(attribute.1)] = attribute.2.map { Self.unescaped(String($0)) } ?? ""
      }
      return Tag(name: String(match.1), attributes: attributes)
    }
  }

  func all(_ name: String) -> [Tag] { tags.filter { $0.name == name } }

  func tag(id: String) -> Tag? { tags.first { $0["id"] == id } }

  /// The text between the first pair of such tags, without tags.
  func content(of name: String) -> String? {
    guard let start = text.firstRange(of: "<\(name)>") else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.firstRange(of: "</\(name)>") else { return nil }
    return Self.unescaped(String(rest[..<end.lowerBound]).replacing(#/<[^>]*>/#, with: ""))
  }

  private static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
