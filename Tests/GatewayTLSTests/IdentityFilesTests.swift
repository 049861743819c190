import Foundation
import GatewayBase
import GatewayTesting
import Testing

@testable import GatewayTLS

@Suite struct IdentityFilesTests {
  private let folder: TemporaryFolder
  /// A little later, as the certificates are made after this.
  private let now = SystemClock().now.adding(seconds: 3600)

  init() throws { folder = try TemporaryFolder() }

  /// Puts a copy of a certificate and its key in place, as a renewal does.
  private func install(_ files: Certificates.Files) throws {
    try folder.write("site.pem", FileBytes.read(files.certificate))
    try folder.write("site.key", FileBytes.read(files.key))
  }

  private func watched() -> TLSIdentityFiles {
    TLSIdentityFiles([(certificate: folder.path("site.pem"), key: folder.path("site.key"))])
  }

  private func names(_ look: TLSIdentityFiles.Look) -> [String]? {
    guard case .changed(let identities) = look else { return nil }
    return identities.flatMap(\.names)
  }

  @Test("Files are read once, and again when they change")
  func changes() throws {
    let certificates = try Certificates.shared()
    try install(certificates.a)
    var files = watched()
    #expect(names(files.look(now: now)) == ["a.test"])
    #expect(names(files.look(now: now)) == nil)
    try install(certificates.wild)
    #expect(names(files.look(now: now)) == ["*.wild.test", "b.test"])
    #expect(files.problems.isEmpty)
  }

  @Test("A broken change is told with its file, and the last good certificate stays")
  func broken() throws {
    let certificates = try Certificates.shared()
    for (damage, reason) in [
      (["site.pem": Data("no PEM".utf8)], "there is no certificate"),
      (["site.key": Data("no PEM".utf8)], "no unencrypted private key"),
      (
        ["site.key": try Data(contentsOf: URL(fileURLWithPath: certificates.rsa.key))], "not the key of the certificate"
      ),
      (
        [
          "site.pem": try Data(contentsOf: URL(fileURLWithPath: certificates.a.certificate))
            + Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)
        ], "damaged"
      ),
      (["site.pem": Data(count: 300_000)], "too large"),
      (
        [
          "site.pem": try Data(contentsOf: URL(fileURLWithPath: certificates.expired.certificate)),
          "site.key": try Data(contentsOf: URL(fileURLWithPath: certificates.expired.key)),
        ], "has expired"
      ),
    ] {
      try install(certificates.a)
      var files = watched()
      #expect(names(files.look(now: now)) == ["a.test"])
      for (name, bytes) in damage { try folder.write(name, Array(bytes)) }
      #expect(names(files.look(now: now)) == ["a.test"])
      #expect(files.problems.count == 1)
      let problem = try #require(files.problems.first)
      #expect(problem.reason.contains(reason), "\(problem)")
      #expect(problem.file.hasPrefix(folder.path))
      #expect(names(files.look(now: now)) == nil, "told once")
      try install(certificates.rsa)
      #expect(names(files.look(now: now)) == ["a.test", "rsa.test"])
      #expect(files.problems.isEmpty)
    }
  }

  @Test("A file that has gone leaves the last good certificate")
  func gone() throws {
    try install(Certificates.shared().a)
    var files = watched()
    _ = files.look(now: now)
    try FileManager.default.removeItem(atPath: folder.path("site.pem"))
    #expect(names(files.look(now: now)) == ["a.test"])
    #expect(files.problems == [TLSProblem(file: folder.path("site.pem"), reason: "it is not there")])
  }

  @Test("Where nothing better was there, an expired certificate is served and told as a problem")
  func expiredAtFirst() throws {
    try install(Certificates.shared().expired)
    var files = watched()
    #expect(names(files.look(now: now)) == ["a.test"])
    #expect(files.problems.map(\.reason) == ["the certificate has expired"])
  }

  @Test("A certificate whose time has not come waits, and is served when it has")
  func early() throws {
    let certificates = try Certificates.shared()
    let later = UnixTime(seconds: 4_102_444_800).adding(seconds: 60)
    var files = watched()
    try install(certificates.a)
    #expect(names(files.look(now: now)) == ["a.test"])
    try install(certificates.early)
    #expect(names(files.look(now: now)) == ["a.test"])
    #expect(files.problems.map(\.reason) == ["the certificate is not valid yet"])
    #expect(names(files.look(now: now)) == nil)
    #expect(names(files.look(now: later)) == ["early.test"])
    #expect(names(files.look(now: later)) == nil)
  }

  @Test("One broken pair does not keep the others from being served")
  func others() throws {
    let certificates = try Certificates.shared()
    var files = TLSIdentityFiles([
      (certificate: folder.path("absent.pem"), key: folder.path("absent.key")),
      (certificate: certificates.a.certificate, key: certificates.a.key),
    ])
    #expect(names(files.look(now: now)) == ["a.test"])
    #expect(files.problems.map(\.file) == [folder.path("absent.pem")])
  }

  @Test("A connection keeps the certificate that it began with when the files change")
  func keeps() throws {
    let certificates = try Certificates.shared()
    try install(certificates.a)
    var files = watched()
    guard case .changed(let identities) = files.look(now: now) else { throw Unusable() }
    var scene = try Scene([certificates.a])
    scene.listener = try TLSContext(identities: identities, protocols: [.http1], tickets: TLSTicketKeys())
    let pair = try scene.connected()
    try install(certificates.wild)
    guard case .changed(let renewed) = files.look(now: now) else { throw Unusable() }
    scene.listener = try TLSContext(identities: renewed, protocols: [.http1], tickets: TLSTicketKeys())
    #expect(pair.client.send("still here") == .moved(10))
    #expect(pair.listener.text == "still here")
    #expect(try scene.pair("a.test").shake().listener == .failed(.unknownName))
    #expect(try scene.pair("b.test").shake().listener == .done(.http1))
  }

  @Test("A listener without a certificate is refused")
  func none() {
    #expect(throws: TLSProblem.self) {
      try TLSContext(identities: [], protocols: [.http1], tickets: TLSTicketKeys())
    }
  }
}
