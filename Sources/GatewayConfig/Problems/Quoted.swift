/// A text of a file inside a message: in back-ticks, and short. Never used for what may be a secret or an address.
struct Quoted: CustomStringConvertible {
  private let text: String

  init(_ text: some StringProtocol) { self.text = String(text) }

  var description: String { text.count > 60 ? "`\(text.prefix(59))…`" : "`\(text)`" }
}
