/// How the pages name a browser.
enum Browser {
  /// "Safari on iPhone", in the language: also a good default for a passkey's name. A browser that nobody knows has a
  /// word of its own.
  static func name(_ userAgent: String?, _ language: Language) -> String {
    let texts = language.texts.common
    guard let userAgent else { return texts.unknownBrowser }
    let browser = first(browsers, in: userAgent)
    let device = first(devices, in: userAgent)
    return switch (browser, device) {
    case (let browser?, let device?): texts.browserOnDevice(browser, device)
    case (let name?, nil), (nil, let name?): name
    case (nil, nil): texts.unknownBrowser
    }
  }

  /// What stands in the text, and what it means; the first that is there counts, as most browsers name others too.
  private static let browsers = [
    ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("Edg/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"), ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
  ]

  private static let devices = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Macintosh", "Mac"), ("Linux", "Linux"),
  ]

  private static func first(_ names: [(String, String)], in text: String) -> String? {
    names.first { contains(text.utf8, $0.0.utf8) }?.1
  }

  private static func contains(_ text: String.UTF8View, _ part: String.UTF8View) -> Bool {
    var rest = text[...]
    while rest.count >= part.count {
      if rest.starts(with: part) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
