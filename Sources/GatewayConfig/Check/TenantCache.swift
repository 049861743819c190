import GatewayBase

/// Tenant files as they were last read. A file is read again when its stamp has changed, or what it depends on may
/// have.
///
/// Reading is spread over all cores.
package actor TenantCache {
  /// Told now and then how many files of how many are read; may be called on any thread.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  private struct Entry: Sendable {
    let stamp: FileStamp
    let file: TenantFile
  }

  private var entries: [String: Entry] = [:]

  package init() {}

  /// All tenant files of a folder and those below it.
  package func files(
    below folder: String, environment: [String: String], progress: Progress? = nil
  ) async -> [TenantFile] {
    await files(TenantFolder.list(folder).paths, environment: environment, progress: progress)
  }

  /// The files of these paths, in their order; what is not among them is forgotten.
  func files(_ paths: [String], environment: [String: String], progress: Progress?) async -> [TenantFile] {
    let known = entries
    let done = Locked(0)
    let parts = stride(from: 0, to: paths.count, by: Limits.filesReadTogether).map {
      paths[$0..<min(paths.count, $0 + Limits.filesReadTogether)]
    }
    let read = await withTaskGroup(of: (Int, [Entry]).self) { group in
      for (index, part) in parts.enumerated() {
        group.addTask {
          let entries = part.map { Self.read($0, known[$0], environment) }
          let count = done.withLock { done in
            done += part.count
            return done
          }
          progress?(count, paths.count)
          return (index, entries)
        }
      }
      return await group.reduce(into: [[Entry]](repeating: [], count: parts.count)) { $0[$1.0] = $1.1 }
    }.flatMap { $0 }
    entries = Dictionary(zip(paths, read)) { first, _ in first }
    return read.map(\.file)
  }

  private static func read(_ path: String, _ known: Entry?, _ environment: [String: String]) -> Entry {
    // The stamp comes before the content: what changes in between is seen by the next look.
    let stamp = FileStamp(path: path)
    if let known, known.stamp == stamp, !known.file.dependsOnOthers { return known }
    return Entry(stamp: stamp, file: TenantFile.read(path, environment: environment))
  }
}

extension TenantFile {
  /// Whether it could be judged otherwise without a change of its own: a secret or picture that comes, permissions.
  fileprivate var dependsOnOthers: Bool {
    problems.contains { [.secretMissing, .unusableLogo, .unreadableFile].contains($0.code) }
  }
}
