import GatewayBase
import GatewayConfig

// What is told of files: once for each change, in the log, and as it is now, in the book.
extension TenantFiles {
  /// Enters how files stand now, and tells what is new of that.
  ///
  /// - Parameter affected: files that were not read, but whose standing may have changed by others.
  func enter(_ readings: [TenantReading], affected: Set<String>, _ set: TenantSet) {
    var told = Told()
    let now = clock.now
    book.withLock { book in
      var rest = affected
      for reading in readings {
        rest.remove(reading.file.path)
        enter(reading.file.path, reading, set, now, &book, &told)
      }
      for path in rest { enter(path, nil, set, now, &book, &told) }
    }
    tell(told)
  }

  private struct Told {
    var problems: [Problem] = []
    var states: [(path: String, state: TenantSet.State, reason: Problem?)] = []
  }

  private func enter(
    _ path: String, _ reading: TenantReading?, _ set: TenantSet, _ now: UnixTime, _ book: inout TenantBook,
    _ told: inout Told
  ) {
    guard let state = set.state(of: path) else { return }
    let old = book.entries[path]
    let standing = set.problems(of: path)
    // Of a good file the set knows nothing but what it has with others.
    let all = state == .ok ? (reading?.file.problems ?? []) + standing : standing
    var entry = TenantBook.Entry(state: state, since: old?.state == state ? old?.since ?? now : now)
    entry.running = set.loaded(path)?.value.appID
    entry.digest = reading == nil ? old?.digest : reading?.digest
    entry.warnings = UInt16(clamping: reading?.file.problems.count { !$0.fails } ?? Int(old?.warnings ?? 0))
    entry.problems = state == .ok && !standing.contains(where: \.fails) ? [] : standing
    entry.told = all.isEmpty ? 0 : all.hashValue
    if entry.told != old?.told ?? 0 { told.problems += all }
    if old?.state ?? .ok != state { told.states.append((path, state, standing.first { $0.fails })) }
    book.set(path, entry)
  }

  private func tell(_ told: Told) {
    let problems = told.problems.filter(\.fails) + told.problems.filter { !$0.fails }
    for problem in problems.prefix(Limits.problemsTold) { logger.report(problem) }
    if problems.count > Limits.problemsTold {
      logger.warning(
        "more problems of files than are told here: check tells all",
        .integer("problems", problems.count - Limits.problemsTold))
    }
    for (path, state, reason) in told.states {
      guard state != .ok else {
        logger.info("a tenant file is good again", .text("file", path))
        continue
      }
      logger.warning(
        "a tenant file is not used as it is", .text("file", path), .text("state", state.rawValue),
        .integer("line", reason?.line ?? 0), .text("code", reason?.code.rawValue ?? ""))
    }
  }
}
