import GatewayBase
import GatewayProxy

/// A request whose outcome is asked for, as a command line gives it.
package struct ExplainedRequest: Sendable {
  package let method: String
  package let isTLS: Bool
  /// As written: host, perhaps a port.
  package let authority: String
  package let port: UInt16
  /// Path and query as they would be sent.
  package let target: String
  package let fields: [(name: String, value: String)]
  package let peer: IPAddress

  /// - Parameters:
  ///   - url: absolute; its path is taken as it is, so that its raw form can be tried.
  ///   - headers: each `Name: value`.
  ///   - peer: who sends it.
  /// - Throws: what is wrong with them.
  package init(method: String, url: String, headers: [String], peer: IPAddress) throws(Malformed) {
    guard !method.isEmpty, Self.isPlain(method), !method.contains(" ") else { throw Malformed("METHOD is one word") }
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url[colon...].hasPrefix("://") else {
      throw Malformed("URL begins with http:// or https://")
    }
    switch url[..<colon].lowercased() {
    case "http": isTLS = false
    case "https": isTLS = true
    default: throw Malformed("URL begins with http:// or https://")
    }
    let rest = url[colon...].dropFirst(3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty, Self.isPlain(authority), !authority.contains(" ") else {
      throw Malformed("URL has a host")
    }
    let target = rest[authority.endIndex...]
    guard Self.isPlain(target), !target.contains(" ") else {
      throw Malformed("URL has no blanks and control characters")
    }
    self.method = method
    self.authority = String(authority)
    self.target = target.hasPrefix("/") ? String(target) : "/" + target
    self.peer = peer
    let digits = authority.lastIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
    port = PortNumber.parse(digits) ?? (isTLS ? 443 : 80)
    var fields: [(String, String)] = []
    for header in headers {
      guard let colon = header.firstIndex(of: ":"), colon != header.startIndex, Self.isPlain(header) else {
        throw Malformed("a header is written \"Name: value\", on one line")
      }
      fields.append((String(header[..<colon]), String(header[header.index(after: colon)...].drop { $0 == " " })))
    }
    self.fields = fields
  }

  /// Why the words of the command line are no request. It quotes nothing of them.
  package struct Malformed: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  /// Without line breaks and other control characters, which would make another request of it.
  private static func isPlain(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name.lowercased() } }

  /// The head as it would be received.
  ///
  /// - Parameter added: fields that it has not.
  func head(adding added: [(name: String, value: String)]) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    if !has("Host") { text += "Host: \(authority)\r\n" }
    for (name, value) in fields + added { text += "\(name): \(value)\r\n" }
    return Array("\(text)\r\n".utf8)
  }
}
