import ProviderKit

extension Pages {
  /// A page without a form, and one way on.
  static func message(_ frame: PageFrame, _ model: MessageModel) -> HTML {
    let texts = frame.language.texts.messages
    let (heading, text, onward) =
      switch model {
      case .unavailable: (texts.unavailable, texts.unavailableText, texts.tryAgain)
      case .expired: (texts.expired, texts.expiredText, texts.startAgain)
      case .unknown: (texts.unknown, texts.unknownText, texts.startAgain)
      }
    return page(
      frame, title: heading,
      """
      \(top(frame))
      <h1>\(heading)</h1>
      <p class="lead">\(text)</p>
      <a class="button" id="onward" href="\(PagePath.entrance.link(frame.visit))">\(onward)</a>
      """)
  }
}
