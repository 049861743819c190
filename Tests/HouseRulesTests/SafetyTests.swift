import Foundation
import Testing

@Suite("House rules: memory safety") struct SafetyTests {
  /// Where pointers and C calls may be written, each behind types that are safe to use.
  private let owners = [
    "Sources/GatewayBase/", "Sources/GatewayCrypto/", "Sources/GatewayIO/", "Sources/GatewayTLS/",
    "Sources/GatewayConfig/",
    "Sources/GatewayStore/", "Sources/GatewayOutbound/", "Sources/GatewayPasskeys/", "Sources/GatewayPlugins/",
    "Sources/GatewayTesting/",
    "ProviderKit/Sources/ProviderKit/",
    // Calls nghttp2.
    "Sources/GatewayHTTP/HTTP2/",
    // Reads eight or sixteen bytes of a head at once.
    "Sources/GatewayHTTP/ByteWord.swift",
    // Hands its provider over through a C entry point, as every plugin does.
    "/Sources/Entry.swift", "/Entry/Entry.swift",
  ]

  @Test("unsafe code stands only in the modules that own it")
  func unsafeCode() throws {
    let word = try Regex(
      #"\bunsafe\b(?!-inline)|\bUnsafe(?:Raw|Mutable|Buffer)?\w*Pointer\b|\bunsafeBitCast\b|\bUnmanaged\b"#)
    for file in SourceTree.product where !owners.contains(where: { file.path.hasPrefix($0) || file.path.hasSuffix($0) })
    {
      let found = file.code.first { $0.text.firstMatch(of: word) != nil }
      #expect(found == nil, "\(file.path):\(found?.number ?? 0)")
    }
  }

  @Test("no pointer and no C type crosses a module border")
  func signatures() throws {
    let signature = try Regex(
      #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:package|public)\b.*\b(?:Unsafe\w*|OpaquePointer|Unmanaged)\b"#)
    let exempt = [
      "ProviderKit/", "plugins/",
      // Code inlined into the proxy reaches its slots directly; `Slab` around it is safe to use.
      "Sources/GatewayIO/SlabIndex.swift",
    ]
    for file in SourceTree.product where !exempt.contains(where: { file.path.hasPrefix($0) }) {
      let found = file.code.first { $0.text.firstMatch(of: signature) != nil }
      #expect(found == nil, "\(file.path):\(found?.number ?? 0)")
    }
  }

  @Test("every @unchecked Sendable says beside it why that holds")
  func unchecked() throws {
    for file in SourceTree.all where file.path != "Tests/HouseRulesTests/SafetyTests.swift" {
      let lines = file.lines
      for (index, line) in lines.enumerated() where line.contains("@unchecked Sendable") {
        if line.drop(while: \.isWhitespace).hasPrefix("//") { continue }
        var comment = index - 1
        while comment >= 0, lines[comment].drop(while: \.isWhitespace).hasPrefix("@") { comment -= 1 }
        var proof = ""
        while comment >= 0, lines[comment].drop(while: \.isWhitespace).hasPrefix("//") {
          proof += lines[comment]
          comment -= 1
        }
        #expect(proof.contains("@unchecked Sendable"), "\(file.path):\(index + 1)")
      }
    }
  }

  @Test("nothing is force-tried, and nothing is checked by the debug build alone")
  func forced() throws {
    let forced = try Regex(#"\btry!|\bas!\s|\bassert\(|\bfatalError\("#)
    for file in SourceTree.product where !file.path.contains("GatewayTesting") {
      // Without memory there is no going on.
      let found = file.code.first {
        $0.text.firstMatch(of: forced) != nil && !$0.text.contains("fatalError(\"out of memory")
      }
      #expect(found == nil, "\(file.path):\(found?.number ?? 0)")
    }
  }
}
