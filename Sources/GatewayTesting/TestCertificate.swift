/// The certificate of every test gateway, made once in a test run: for 127.0.0.1 and the hosts of tests.
package struct TestCertificate: Sendable {
  /// PEM; its own authority.
  package let certificate: [UInt8]
  package let key: [UInt8]

  package static func shared() throws -> TestCertificate { try result.get() }

  private static let result = Result { try TestCertificate(names: names) }
  /// Strict clients take no wildcard below a name of one label, so some hosts stand by themselves too.
  private static let names =
    ["IP:127.0.0.1", "DNS:localhost", "DNS:*.localhost", "DNS:xn--bcher-kva.example"]
    + ["alpha", "a", "relay"].map { "DNS:\($0).localhost" }

  /// - Parameter names: as OpenSSL writes a subjectAltName: `DNS:a.test`, `IP:127.0.0.1`.
  package init(names: [String]) throws {
    let folder = try TemporaryFolder()
    let (certificate, key) = (folder.path("test.pem"), folder.path("test.key"))
    let result = try CommandResult.run(
      [
        "/usr/bin/openssl", "req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=test",
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", certificate,
        "-addext", "subjectAltName=\(names.joined(separator: ","))",
      ], environment: ProcessEnvironment.inherited, folder: folder.path)
    guard result.exitCode == 0 else { throw TestFailure("no certificate: \(result.standardError)") }
    self.certificate = try FileBytes.read(certificate)
    self.key = try FileBytes.read(key)
  }
}
