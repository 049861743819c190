import ProviderKit

// Letters that more than one flow sends.
extension Turn {
  /// The letter that brings a new code to an address that is to be verified; nil of a code for anything else.
  ///
  /// - Parameter code: its id and its digits.
  func letter(
    bringing code: (id: String, digits: String), _ purpose: MailedCode.Purpose, to email: EmailAddress
  ) -> ProviderMail? {
    let (language, minutes) = (frame.language, MailedCode.minutes)
    let link = link(.verify, [("id", code.id), ("code", code.digits)])
    return switch purpose {
    case .signUp:
      Letters.verification(
        language, to: email.text, app: visit?.app.name, code: code.digits, link: link, minutes: minutes)
    case .newAddress: Letters.newAddress(language, to: email.text, code: code.digits, link: link, minutes: minutes)
    case .reset, .nothing: nil
    }
  }

  /// Has an address verified for a purpose: sends a code, or to an address of an account the news that it is one. The
  /// page that follows is the same.
  ///
  /// - Returns: the id of the code; nil where no letter can be sent.
  func verify(
    _ email: EmailAddress, for purpose: MailedCode.Purpose, isTaken: Bool
  ) async throws(ProviderFailure) -> String? {
    let code = await MailedCode.new(isTaken ? .nothing : purpose, email: email, in: self)
    guard try await records.commit([code.change]) else { throw .contended }
    let letter =
      isTaken
      ? Letters.addressInUse(frame.language, to: email.text, signInLink: link(.signIn), resetLink: link(.reset))
      : letter(bringing: (code.id, code.digits), purpose, to: email)
    guard let letter, await send(letter) else { return nil }
    return code.id
  }

  /// Tells a person that the password is another one. It goes out where it can: the change is made.
  func tellOfNewPassword(_ person: Person) async {
    _ = await send(
      Letters.passwordChanged(
        frame.language, to: person.email, resetLink: request.origin + PagePath.reset.rawValue))
  }
}
