import Foundation
import Testing

@testable import SpeedAuth

/// The Swift code of `docs/APPS.md`, which is the files of the folder `AppsPage`. The page's other languages are run by
/// `Tests/Docs/apps.py`.
@Suite("SpeedAuth: the page for apps") struct AppsPageTests {
  private let callback = URL(string: "com.example.notes://speed-auth?code=c") ?? URL(filePath: "/")
  private let linked = URL(string: "com.example.notes://speed-link?code=c") ?? URL(filePath: "/")

  @Test("the page's Swift code is what is compiled here")
  func same() throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/APPS.md"), encoding: .utf8)
    let blocks = page.matches(of: /(?m)^```swift file=(\S+)\n((?:.*\n)*?)```$/)
    #expect(blocks.map { String($0.1) } == ["NotesAccount.swift", "NotesClient.swift"])
    for block in blocks {
      let file = root.appending(path: "Tests/SpeedAuthTests/AppsPage/\(block.1)")
      #expect(try String(contentsOf: file, encoding: .utf8) == block.2, "\(block.1)")
    }
  }

  @Test("a conflict is asked, and the answer links with the same token")
  func conflict() async throws {
    let client = try stubClient { request in
      switch request.call {
      case "link" where request.member("keep") == nil: StubTransport.refusal(409, "app_data_conflict")
      case "link": StubTransport.signIn("t2", extra: #","previousUserId":"old""#)
      case "exchange": StubTransport.signIn("proof")
      case "relay": StubTransport.signIn("t3-\(request.member("subjectToken") ?? "")")
      default: StubTransport.signIn("t1", extra: #","linkSuggestion":"matching_email""#)
      }
    }
    let account = NotesAccount(client: client)
    #expect(try await account.signIn(.stub()) == .offerToLink(nil))
    #expect(try await account.link(keep: nil) { _ in linked } == .ask(SpeedToken("proof")))
    #expect(try await account.link(SpeedToken("proof"), keep: .speed) == .appAs(oldUser: "old"))
    #expect(try await account.continueWithSpeed { _ in callback } == .app)
    #expect(try await account.signIn(elsewhere: "firebase") == .app)
    #expect(try await client.session?.token == AccessToken("t3-firebase"))
    #expect(try notesClient().configuration.app == .id(123))
    // The stub's app is on another domain than the page's: its token does not go there.
    await #expect(throws: SpeedAuthError.foreignOrigin) { try await account.notes() }
  }
}
