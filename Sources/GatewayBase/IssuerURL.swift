/// The URL by which an OpenID issuer is known, and where it tells about itself.
///
/// The text counts to the byte, as tokens have it in `iss`: `https://a.example` and `https://a.example/` are two issuers.
package struct IssuerURL: Sendable, Hashable, CustomStringConvertible {
  /// Why a URL is no issuer's.
  package enum Problem: Error, Sendable, Equatable {
    /// It has a query, or is longer than `Limits.issuer` bytes, or not all of it is ASCII.
    case form
    /// It is plain `http` to another machine.
    case notConfidential
  }

  /// As it was written.
  package let text: String
  /// The same, read.
  package let url: ServiceURL

  /// - Parameter url: `text`, read.
  package init(_ text: String, _ url: ServiceURL) throws(Problem) {
    guard text.utf8.count <= Limits.issuer, text.utf8.allSatisfy({ $0 < 0x80 }), !text.utf8.contains(0x3F) else {
      throw .form
    }
    guard url.isConfidential else { throw .notConfidential }
    self.text = text
    self.url = url
  }

  /// Where its metadata are (OpenID Connect Discovery 1.0 section 4.1): below its path, from which one final `/` is taken.
  package var metadata: ServiceURL { url.appending("/.well-known/openid-configuration") }

  package var description: String { text }
}
