import Foundation
import Testing

/// An app is in everybody's hands, so nothing in it is secret: what mints or credits needs a key that servers alone have.
@Suite("House rules: secrets and clients") struct ClientSecretTests {
  private let secret =
    #/(?i)\bsk_|server_?key|client_?secret|private_?key|BEGIN [A-Z ]*KEY|\.p8\b/#

  @Test("B91 the library for apps and the code of its page take no secret")
  func library() throws {
    let files = SourceTree.files(["Sources/SpeedAuth"])
    #expect(files.count > 5, "the library is read")
    for file in files {
      for line in file.code { #expect(line.text.firstMatch(of: secret) == nil, "\(file.path):\(line.number)") }
    }
    let page = try #require(SourceTree.text("docs/APPS.md"))
    let blocks = page.matches(of: #/(?m)^```\w.*\n((?:.*\n)*?)```$/#).map(\.1)
    #expect(!blocks.isEmpty, "the page's code is read")
    for block in blocks { #expect(block.firstMatch(of: secret) == nil, "\(block.prefix(200))") }
  }

  @Test("B91 no call that an app makes takes a secret; a server's key opens the server's calls, and no other")
  func description() throws {
    let text = try #require(SourceTree.text("docs/openapi.yaml"))
    let paths = try #require(text.range(of: "\npaths:\n").map { text[$0.upperBound...] })
    let end = try #require(paths.range(of: "\ncomponents:\n"))
    let calls = paths[..<end.lowerBound].split(separator: #/(?m)^(?=  \/)/#)
    #expect(calls.count > 10)
    for call in calls {
      let isServers = call.hasPrefix("  /api/platform/apps/")
      #expect(call.contains("serverKey: []") == isServers, "\(call.prefix(60))")
      #expect(!isServers || !call.contains("bearer: []"), "\(call.prefix(60))")
    }
    let members = paths[end.upperBound...].matches(of: #/(?m)^ {8}(\w+):/#).map { String($0.1) }
    #expect(members.contains("identityToken") && members.contains("codeVerifier"), "the members are read")
    for member in members { #expect(member.firstMatch(of: secret) == nil, "\(member)") }
  }
}
