import Foundation
import PluginTesting
import ProviderKit
import Testing

@testable import SpeedWebPages

/// A person with a browser of their own: keeps what the pages give it, and sends what their forms hold.
struct Guest {
  static let notes = Visit(
    app: AppDescription(appID: 1, name: "Notes"), logo: nil, isLinking: false, query: "appId=1&redirect=notes%3A%2F%2Fx"
  )
  static let linking = Visit(
    app: AppDescription(appID: 1, name: "Notes"), logo: nil, isLinking: true,
    query: "appId=1&redirect=notes%3A%2F%2Fx&link=1")

  let services: FakeServices
  var browser = "browser-1"
  var address = "192.0.2.1"
  var languages = ["en"]
  var visit: Visit? = Guest.notes
  private(set) var session: String?

  init(_ services: FakeServices, browser: String = "browser-1") {
    self.services = services
    self.browser = browser
  }

  /// An answer, and what tests ask of it.
  struct Seen {
    let answer: PageAnswer
    let markup: String
    let status: Int
    /// The path of a redirect, and its query.
    let path: String?
    let query: [String: String]

    init(_ answer: PageAnswer) {
      self.answer = answer
      switch answer.content {
      case .page(let html, let status): (markup, self.status, path, query) = (html.markup, status, nil, [:])
      case .redirect(let target):
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let fields = (URLComponents(string: "http://x/?" + (parts.count > 1 ? parts[1] : ""))?.queryItems ?? [])
        (markup, status, path) = ("", 303, parts[0])
        query = Dictionary(fields.map { ($0.name, $0.value ?? "") }) { first, _ in first }
      case .finished: (markup, status, path, query) = ("", 303, nil, [:])
      }
    }

    var outcome: WebOutcome? { if case .finished(let outcome) = answer.content { outcome } else { nil } }
    var identity: VerifiedIdentity? { if case .identity(let identity) = outcome { identity } else { nil } }
    func has(_ id: String) -> Bool { markup.contains("id=\"\(id)\"") }
    /// The value of a `data-` attribute.
    func data(_ name: String) -> String? {
      guard let range = markup.range(of: "data-\(name)=\"") else { return nil }
      return markup[range.upperBound...].split(separator: "\"", omittingEmptySubsequences: false).first.map(String.init)
    }
  }

  @discardableResult
  mutating func get(_ path: PagePath, _ query: [String: String] = [:]) async throws -> Seen {
    try await send(path, query: query, form: nil)
  }

  @discardableResult
  mutating func post(_ path: PagePath, _ form: [String: String]) async throws -> Seen {
    try await send(path, query: [:], form: form)
  }

  private mutating func send(_ path: PagePath, query: [String: String], form: [String: String]?) async throws -> Seen {
    let request = PageRequest(
      visit: visit, path: path.rawValue, query: query, form: form, session: session, formToken: "token of \(browser)",
      scriptNonce: "nonce", languages: languages, address: address, userAgent: "Safari/1 iPhone",
      origin: "https://dash.example.com", requestID: "request-1")
    let answer = try await SpeedWebProvider().respond(to: request, using: services)
    switch answer.session {
    case .unchanged: break
    case .keep(let value, _): session = value
    case .forget: session = nil
    }
    return Seen(answer)
  }

  /// Signs up, and verifies with the code of the letter.
  @discardableResult
  mutating func join(_ email: String, password: String = Guest.password) async throws -> Seen {
    let asked = try await post(.signUp, ["name": "Ada Example", "email": email, "password": password])
    let id = try #require(asked.query["id"])
    let letter = try #require(await services.letters.last)
    return try await post(.verify, ["id": id, "code": try #require(letter.code)])
  }

  @discardableResult
  mutating func signIn(_ email: String, _ password: String = Guest.password) async throws -> Seen {
    try await post(.signIn, ["email": email, "password": password])
  }

  static let password = "a quiet harbour at noon"
}

extension ProviderMail {
  /// The code on a line of its own.
  var code: String? {
    text.split(separator: "\n").lazy.map { $0.trimmingCharacters(in: .whitespaces) }.first { line in
      line.count == 8 && line.allSatisfy(\.isNumber)
    }
  }

  /// The fields of the link's query.
  var fields: [String: String] {
    let link = text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("https://") }.map(String.init) ?? ""
    let items = URLComponents(string: link)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }
}
