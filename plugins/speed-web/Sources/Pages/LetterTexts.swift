/// What the letters say, in one language.
struct LetterTexts: Sendable {
  /// What makes up one kind of letter.
  struct Wording: Sendable {
    /// The subject, and the heading of the HTML.
    let subject: String
    let text: String
    /// What the link is called.
    let link: String
    /// What to do where it was somebody else.
    let otherwise: String

    init(_ subject: String, text: String = "", link: String = "", otherwise: String) {
      self.subject = subject
      self.text = text
      self.link = link
      self.otherwise = otherwise
    }
  }

  let verification: Wording
  let verificationForApp: Texts.Filled
  let newAddress: Wording
  let addressInUse: Wording
  /// The second link of `addressInUse`.
  let forgot: String
  let reset: Wording
  let addressChanged: Wording
  let addressChangedTo: Texts.Filled
  let passkeyAdded: Wording
  let passkeyNamed: Texts.Filled
  let passwordChanged: Wording
  let validFor: @Sendable (_ minutes: Int) -> String
  let neverTell: String
}

extension Language {
  /// What the letters say in it.
  var letterTexts: LetterTexts {
    switch self {
    case .english: .english
    case .german: .german
    case .french: .french
    case .spanish: .spanish
    case .portuguese: .portuguese
    case .japanese: .japanese
    }
  }
}
