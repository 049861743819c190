import ProviderKit

extension Pages {
  /// A code or a link is of no use any more, and what it was for has to begin anew.
  static func expired(_ frame: PageFrame) -> HTML {
    let texts = frame.language.texts.expired
    return page(
      frame, title: texts.heading,
      """
      \(top(frame))
      <h1>\(texts.heading)</h1>
      <p class="lead">\(texts.text)</p>
      <a class="button" id="onward" href="\(PagePath.entrance.link(frame.visit))">\(texts.startAgain)</a>
      """)
  }
}
