import ProviderKit

/// What every page has around its own content: who is asked by whom, in which language, with which nonce and token.
struct PageFrame: Sendable {
  let request: PageRequest
  let language: Language

  init(request: PageRequest, language: Language) {
    self.request = request
    self.language = language
  }

  /// In the best of the languages that the browser asks for.
  init(request: PageRequest) {
    self.init(request: request, language: Language(preferred: request.languages))
  }

  /// What the browser is here for; nil where it is about the account itself.
  var visit: Visit? { request.visit }
}

/// The paths that pages link and post to, as `plugin.yaml` lists them.
enum PagePath: String, Sendable, CaseIterable {
  case entrance = "/platform/auth"
  case signIn = "/platform/auth/sign-in"
  case signUp = "/platform/auth/sign-up"
  case verify = "/platform/auth/verify"
  case reset = "/platform/auth/reset"
  case newPassword = "/platform/auth/new-password"
  case consent = "/platform/auth/consent"
  case signOut = "/platform/auth/sign-out"
  case account = "/platform/account"
  case passkey = "/platform/account/passkey"

  /// The path with the visit that is carried on, and further fields.
  ///
  /// - Parameter fields: names and values; names are plain, values are encoded here.
  func link(_ visit: Visit?, _ fields: [(String, String)] = []) -> String {
    var query = visit.map { $0.query.isEmpty ? [] : [$0.query] } ?? []
    query += fields.map { "\($0.0)=\(PagePath.encoded($0.1))" }
    return query.isEmpty ? rawValue : rawValue + "?" + query.joined(separator: "&")
  }

  /// A value of a query: all but the unreserved characters (RFC 3986 section 2.3) as percent triplets.
  static func encoded(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in value.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
