import ProviderKit

/// The pages, each made of a frame and its model. Every page is one answer of at most 30 KiB, with its style and its
/// script inside; it works without the script, passkeys apart.
enum Pages {
  /// A page around its content.
  ///
  /// - Parameters:
  ///   - title: what the page is, as its heading says it.
  ///   - hasProblem: whether a form was not taken: the title says so first, as it is what a screen reader says first.
  ///   - isWide: whether the card is for lists.
  ///   - script: what the page runs besides `Scripts.common`.
  static func page(
    _ frame: PageFrame, title: String, hasProblem: Bool = false, isWide: Bool = false, script: HTML = "",
    _ content: HTML
  ) -> HTML {
    let texts = frame.language.texts.common
    let nonce = frame.request.scriptNonce
    return """
      <!doctype html>
      <html lang="\(frame.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <title>\(hasProblem ? texts.titleOfProblem(title) : title) – Speed</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="theme-color" content="\(Style.lightFrame)" media="(prefers-color-scheme: light)">
      <meta name="theme-color" content="\(Style.darkFrame)" media="(prefers-color-scheme: dark)">
      <meta name="format-detection" content="telephone=no">
      <meta name="robots" content="noindex">
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">\(Style.sheet)\(isWide ? Style.lists : "")</style>
      </head>
      <body>
      <main\(isWide ? " class=\"wide\"" as HTML : "")>
      \(content)
      </main>
      <footer>\(Icons.speed)<span>\(texts.brand)</span></footer>
      <script nonce="\(nonce)">
      \(Scripts.common)\(script)
      </script>
      </body>
      </html>

      """
  }

  /// The top of a page of a visit: the app's logo, or the first sign of its name; Speed's mark where there is no app.
  ///
  /// - Parameter beside: what is joined to it.
  static func top(_ frame: PageFrame, joining beside: HTML? = nil) -> HTML {
    let tile: HTML =
      if let visit = frame.visit {
        if let logo = visit.logo {
          "<div class=\"tile logo\"><img src=\"\(logo)\" alt=\"\"></div>"
        } else {
          "<div class=\"tile\" aria-hidden=\"true\">\(initial(visit.app.name))</div>"
        }
      } else {
        "<div class=\"tile speed\">\(Icons.speed)</div>"
      }
    return "<div class=\"top\">\(tile)\(beside.map { "<hr aria-hidden=\"true\">\($0)" as HTML } ?? "")</div>"
  }

  static let speedTile: HTML = "<div class=\"tile speed\">\(Icons.speed)</div>"

  /// A name within a text of any language, whichever way it is written.
  static func named(_ name: String) -> HTML { "<bdi translate=\"no\">\(name)</bdi>" }

  /// An address of mail, which is broken behind its `@` where it does not fit.
  static func address(_ email: String) -> HTML {
    guard let at = email.lastIndex(of: "@") else { return named(email) }
    let domain = email.index(after: at)
    return "<bdi translate=\"no\">\(String(email[..<domain]))<wbr>\(String(email[domain...]))</bdi>"
  }

  /// What stands for a name where there is no picture.
  static func initial(_ name: String) -> String {
    guard let first = name.first(where: { !$0.isWhitespace }), first.utf8.count <= 32 else { return "" }
    return first.uppercased()
  }

  static func person(name: String, email: String) -> HTML {
    """
    <div class="avatar" aria-hidden="true">\(initial(name))</div>
    <div><div class="name">\(named(name))</div><div class="dim">\(address(email))</div></div>
    """
  }
}
