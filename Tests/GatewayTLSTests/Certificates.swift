import Foundation
import GatewayBase
import GatewayTLS
import GatewayTesting

/// Certificates for tests, made once with the `openssl` command.
struct Certificates: Sendable {
  static func shared() throws -> Certificates { try result.get() }
  private static let result = Result { try Certificates() }

  let folder: TemporaryFolder
  /// `a.test`, P-256.
  let a: Files
  /// `a.test` and `rsa.test`, RSA.
  let rsa: Files
  /// `*.wild.test` and `b.test`, P-256.
  let wild: Files
  /// `a.test`, over since yesterday.
  let expired: Files
  /// `early.test`, from 2100 on.
  let early: Files
  /// `127.0.0.1` and `backend.test`, P-256, by an authority of its own.
  let backend: Files
  let authority: Files

  struct Files: Sendable {
    let certificate: String
    let key: String

    func identity() throws -> TLSIdentity {
      try TLSIdentity(
        certificate: FileBytes.read(certificate), key: FileBytes.read(key), files: (certificate, key))
    }
  }

  private init() throws {
    folder = try TemporaryFolder()
    a = try Self.make(folder, "a", ["DNS:a.test"])
    rsa = try Self.make(folder, "rsa", ["DNS:a.test", "DNS:rsa.test"], key: ["-newkey", "rsa:2048"])
    wild = try Self.make(folder, "wild", ["DNS:*.wild.test", "DNS:b.test"])
    expired = try Self.make(folder, "expired", ["DNS:a.test"], from: "2020", to: "2021")
    early = try Self.make(folder, "early", ["DNS:early.test"], from: "2100", to: "2101")
    authority = try Self.make(folder, "authority", [], more: ["-addext", "basicConstraints=critical,CA:true"])
    backend = try Self.make(
      folder, "backend", ["DNS:backend.test", "IP:127.0.0.1"],
      more: ["-CA", authority.certificate, "-CAkey", authority.key])
  }

  static func make(
    _ folder: TemporaryFolder, _ name: String, _ names: [String],
    key: [String] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    more: [String] = []
  ) throws -> Files {
    let files = Files(certificate: folder.path("\(name).pem"), key: folder.path("\(name).key"))
    var arguments = ["req", "-x509", "-nodes", "-subj", "/CN=\(name)", "-keyout", files.key, "-out", files.certificate]
    arguments += key + more + ["-days", "30"]
    if !names.isEmpty { arguments += ["-addext", "subjectAltName=\(names.joined(separator: ","))"] }
    try openssl(arguments)
    return files
  }

  /// One for other years than this: only the command that keeps books about its certificates can do that.
  private static func make(
    _ folder: TemporaryFolder, _ name: String, _ names: [String], from start: String, to end: String
  ) throws -> Files {
    let request = folder.path("\(name).csr")
    let files = Files(certificate: folder.path("\(name).pem"), key: folder.path("\(name).key"))
    try openssl(
      ["req", "-new", "-nodes", "-subj", "/CN=\(name)", "-keyout", files.key, "-out", request, "-newkey", "rsa:2048"])
    try folder.write(
      "books.cnf",
      """
      [ca]
      default_ca = books
      [books]
      database = \(folder.path("index"))
      new_certs_dir = \(folder.path)
      rand_serial = yes
      default_md = sha256
      policy = any
      x509_extensions = leaf
      [any]
      commonName = supplied
      [leaf]
      subjectAltName = \(names.joined(separator: ","))
      """)
    try folder.write("index", "")
    try openssl([
      "ca", "-batch", "-notext", "-config", folder.path("books.cnf"), "-selfsign", "-keyfile", files.key, "-in",
      request,
      "-out", files.certificate, "-startdate", "\(start)0101000000Z", "-enddate", "\(end)0101000000Z",
    ])
    return files
  }

  static func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestFailure("openssl \(arguments) failed") }
  }
}

/// A clock that a test sets.
final class SetClock: WallClock {
  private let time: Locked<UnixTime>

  init(_ time: UnixTime = SystemClock().now) { self.time = Locked(time) }

  var now: UnixTime { time.withLock { $0 } }

  func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}
