import GatewayBase
import GatewayConfig

/// The certificates and keys of a listener in their files: looked at by their stamps, read when those change, and
/// kept as they were last good.
package struct TLSIdentityFiles: Sendable {
  /// What a look found.
  package enum Look: Sendable {
    case unchanged
    /// Files changed: the certificates to serve from now on, in the order of the configuration.
    case changed([TLSIdentity])
  }

  private struct Pair: Sendable {
    let certificate: String
    let key: String
    var stamps: [FileStamp]?
    var identity: TLSIdentity?
    /// Read already, and to be served once its time has begun.
    var next: TLSIdentity?
  }

  private var pairs: [Pair]
  /// What is wrong with the files, as the last look found that read any; empty where nothing is.
  package private(set) var problems: [TLSProblem] = []

  /// - Parameter files: paths of each certificate with its chain, and of its key.
  package init(_ files: [(certificate: String, key: String)]) {
    pairs = files.map { Pair(certificate: $0.certificate, key: $0.key) }
  }

  /// Reads what has changed. Where it is broken, or its time is over or not come while that of the last good one has,
  /// the last good one stays.
  ///
  /// Where nothing good was there before, an expired certificate is served, and told as a problem: clients that do
  /// not check are better off, and so are the other names.
  package mutating func look(now: UnixTime) -> Look {
    var hasRead = false
    var found: [TLSProblem] = []
    for index in pairs.indices {
      if pairs[index].next?.timeProblem(at: now) == nil, let next = pairs[index].next.take() {
        pairs[index].identity = next
        hasRead = true
      }
      let pair = pairs[index]
      // The stamps come before the content: what changes in between is seen by the next look.
      let stamps = [FileStamp(path: pair.certificate), FileStamp(path: pair.key)]
      if stamps == pair.stamps { continue }
      hasRead = true
      pairs[index].stamps = stamps
      pairs[index].next = nil
      do throws(TLSProblem) {
        let identity = try Self.read(pair)
        if let reason = identity.timeProblem(at: now) {
          found.append(TLSProblem(file: pair.certificate, reason: reason))
          if pair.identity.map({ $0.timeProblem(at: now) == nil }) == true {
            pairs[index].next = identity
            continue
          }
        }
        pairs[index].identity = identity
      } catch {
        found.append(error)
      }
    }
    guard hasRead else { return .unchanged }
    problems = found
    return .changed(pairs.compactMap(\.identity))
  }

  private static func read(_ pair: Pair) throws(TLSProblem) -> TLSIdentity {
    try read(certificate: pair.certificate, key: pair.key)
  }

  /// Reads one certificate with its chain, and its key.
  package static func read(certificate: String, key: String) throws(TLSProblem) -> TLSIdentity {
    try TLSIdentity(certificate: contents(certificate), key: contents(key), files: (certificate, key))
  }

  private static func contents(_ path: String) throws(TLSProblem) -> [UInt8] {
    do throws(FileSystem.Fault) {
      let bytes = try FileSystem.read(path, limit: Limits.certificateFile)
      guard bytes.count <= Limits.certificateFile else { throw FileSystem.Fault(reason: "it is too large") }
      return bytes
    } catch {
      throw TLSProblem(file: path, reason: error.reason)
    }
  }
}
