import GatewayConfig
import GatewayCrypto

/// A tenant file as one read found it, alone.
struct TenantReading: Sendable {
  let file: TenantFile
  /// Of the file as it was read; nil where it can't be read.
  let stamp: FileStamp?
  let digest: ContentDigest?

  /// - Parameter known: what was read before: the same bytes are not read for what they say again.
  /// - Returns: nil where the bytes are those.
  static func read(
    _ path: String, environment: [String: String], unlessIs known: ContentDigest? = nil
  ) -> (reading: TenantReading?, stamp: FileStamp?) {
    do throws(FileSystem.Fault) {
      let (bytes, stamp) = try FileSystem.readStamped(path, limit: TenantFile.readLimit)
      let digest = ContentDigest(bytes)
      guard digest != known else { return (nil, stamp) }
      let file = TenantFile.read(path, bytes: bytes, environment: environment)
      return (TenantReading(file: file, stamp: stamp, digest: digest), stamp)
    } catch {
      return (TenantReading(file: .unreadable(path, error), stamp: nil, digest: nil), nil)
    }
  }
}

/// The first half of the SHA-256 of a file's bytes: whether two nodes, or a node and a folder, have the same.
struct ContentDigest: Sendable, Equatable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  init(_ bytes: [UInt8]) {
    let digest = Digest.sha256(bytes)
    high = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// 32 hexadecimal digits.
  var description: String {
    [high, low].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
