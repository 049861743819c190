import Foundation
import Testing

/// `docs/openapi.yaml` names what the source serves. That the answers are as described is for `Tests/OpenAPI`, which
/// asks a running gateway.
@Suite("House rules: the description of the API") struct APIDescriptionTests {
  /// Codes of the reference that no call of the platform API answers with, and whose they are.
  private static let elsewhere: Set<String> = [
    // Of requests that go to an app's backend.
    "backend_timeout", "backend_unavailable", "invalid_request_from",
    // Of a WebSocket's origin and of people's forms.
    "forbidden",
    // Of what the description says in its text for all calls.
    "internal", "method_not_allowed",
    // Of the admin listener.
    "secret_missing",
  ]

  private let description = SourceTree.text("docs/openapi.yaml") ?? ""

  private var paths: Set<String> {
    Set(description.matches(of: /\n {2}(\/[^:]*):\n/).map { String($0.1) })
  }

  @Test("every path that the platform API or a plugin serves is described, pages for people apart")
  func described() throws {
    let source = try #require(SourceTree.text("Sources/GatewayServer/Platform/PlatformAPI.swift"))
    var served = Set(source.matches(of: /case "(\/[^"]+)":/).map { String($0.1) })
    #expect(served.count >= 7, "the paths of the source are read")
    for name in ["apple-native", "relay", "speed-web"] {
      let manifest = try #require(SourceTree.text("plugins/\(name)/plugin.yaml"))
      for route in manifest.matches(of: /path: ([^ ,}]+)(?:, serves: (\w+))?/) where route.2 != "pages" {
        served.insert(route.2 == "notices" ? "\(route.1){appId}" : String(route.1))
      }
    }
    // The one page that apps open, and what `BalanceAPI` takes apart.
    served.insert("/platform/auth")
    let balance = "/api/platform/apps/{appId}/users/{user}/balance"
    served.formUnion([balance, "\(balance)/adjustments"])
    let difference = paths.symmetricDifference(served)
    #expect(difference.isEmpty, "\(difference.sorted())")
  }

  @Test("the error codes of the description are those of the reference")
  func codes() throws {
    let reference = try #require(SourceTree.text("docs/CONFIGURATION.md"))
    let answers = try #require(reference.range(of: "\n## Codes of answers").map { reference[$0.upperBound...] })
    let known = Set(answers.matches(of: /\n### [0-9, ]+ `([^`]+)`\n/).map { String($0.1) })
    let lists = description.matches(of: /(?:error: \{ enum|x-error-codes): \[([^\]]+)\]/)
    let described = Set(
      lists.flatMap { list in list.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } })
    #expect(described.count > 20, "the codes of the description are read")
    let difference = described.symmetricDifference(known.subtracting(Self.elsewhere))
    #expect(difference.isEmpty, "\(difference.sorted())")
  }
}
