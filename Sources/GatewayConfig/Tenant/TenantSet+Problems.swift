import GatewayBase

extension TenantSet {
  /// Why a file does not get what it claims.
  enum Obstacle {
    case reserved
    /// A file that is loaded has it.
    case owned(by: String)
    /// An app had it first, as history knows.
    case remembered(app: Int64)
  }

  func obstacle(to claim: TenantClaim, of file: TenantFile) -> Obstacle? {
    guard claim.isExclusive else { return nil }
    if claim.kind == .domain, reservedNames.contains(claim.value) { return .reserved }
    if let owner = owners[claim], owner != file.path { return .owned(by: owner) }
    if let first = history.owners[claim], let appID = file.configuration?.appID, first != appID {
      return .remembered(app: first)
    }
    return nil
  }

  /// All problems of one file: its own, and those that it has with others.
  package func problems(of path: String) -> [Problem] {
    guard let entry = entries[path] else { return [] }
    return entry.latest.problems + entry.latest.claims.compactMap { problem($0, entry) }
  }

  /// All problems of all files.
  package var problems: [Problem] { entries.keys.flatMap { problems(of: $0) }.sorted() }

  private func problem(_ placed: PlacedClaim, _ entry: Entry) -> Problem? {
    let file = entry.latest
    let claim = placed.claim
    guard claim.isExclusive else { return entry.isLatestActive ? sharing(placed, file) : nil }
    // What is loaded has all that it claims for itself alone.
    if entry.isLatestActive { return nil }
    switch obstacle(to: claim, of: file) {
    case nil: return nil
    case .reserved:
      return Problem(
        file: file.path, place: placed.place, code: .reservedDomain,
        message: "\(claim.phrase) is the gateway's own", hint: "choose another domain for the app")
    case .owned(let owner):
      let other = entries[owner]?.active.map { location(of: claim, in: $0) } ?? owner
      return Problem(
        file: file.path, place: placed.place, code: claim.duplicateCode,
        message: "\(claim.phrase) is taken by \(other)",
        hint: "the app that had it first keeps it: remove it from one of the two files")
    case .remembered(let app):
      return Problem(
        file: file.path, place: placed.place, code: claim.duplicateCode,
        message: "\(claim.phrase) belongs to app \(app), which had it first",
        hint: "remove it here, or release it there first")
    }
  }

  private func sharing(_ placed: PlacedClaim, _ file: TenantFile) -> Problem? {
    let claim = placed.claim
    // It is one of them itself.
    guard let sharers = sharers[claim], sharers.count > 1 else { return nil }
    let others = sharers.filter { $0 != file.path }.sorted(by: FilePath.precedes)
    let places = others.prefix(3).map { path in entries[path]?.active.map { location(of: claim, in: $0) } ?? path }
    let more = others.count > 3 ? " and \(others.count - 3) more" : ""
    let message = "\(claim.phrase) is also in \(places.joined(separator: ", "))\(more)"
    return claim.kind == .bundleID
      ? Problem(
        file: file.path, place: placed.place, severity: .conflict, code: .bundleIDConflict, message: message,
        hint: "sign-ins by it get 403 in each of these apps until one alone has it")
      : Problem(
        file: file.path, place: placed.place, severity: .warning, code: .sharedScheme, message: message,
        hint: "a device opens either app: give each a scheme of its own")
  }

  private func location(of claim: TenantClaim, in file: TenantFile) -> String {
    guard let placed = file.claims.first(where: { $0.claim == claim }) else { return file.path }
    return "\(file.path):\(placed.line):\(placed.column)"
  }
}
