/// Something that an app's file claims and another's might claim too.
package struct TenantClaim: Sendable, Hashable {
  package enum Kind: UInt8, Sendable, CaseIterable {
    // One app alone may have these.
    case app, domain, serverKey
    // These may be claimed by several: to the harm of both, or at their own risk.
    case bundleID, urlScheme
  }

  package let kind: Kind
  /// Canonical: the app's number, the domain, the bundle ID, the scheme; of a server key a digest, or where the key is
  /// not there yet, of its source behind `unresolved`.
  package let value: String

  package init(kind: Kind, value: String) {
    self.kind = kind
    self.value = value
  }

  /// Begins the value of a server key that is not there yet.
  static let unresolved = "?"

  /// Whether other nodes mean the same by it.
  package var isLasting: Bool { !value.hasPrefix(Self.unresolved) }

  package var isExclusive: Bool { kind.rawValue <= Kind.serverKey.rawValue }

  var duplicateCode: ProblemCode {
    switch kind {
    case .app: .duplicateApp
    case .domain: .duplicateDomain
    case .serverKey: .duplicateServerKey
    case .bundleID: .bundleIDConflict
    case .urlScheme: .sharedScheme
    }
  }

  /// The thing, as messages say it. A server key is not shown.
  var phrase: String {
    switch kind {
    case .app: "the app ID \(Quoted(value))"
    case .domain: "the domain \(Quoted(value))"
    case .serverKey: "this server key"
    case .bundleID: "the bundle ID \(Quoted(value))"
    case .urlScheme: "the scheme \(Quoted(value))"
    }
  }
}

/// A claim, and where in the file it is made.
struct PlacedClaim: Sendable {
  let claim: TenantClaim
  let line: Int32
  let column: Int32

  init(_ kind: TenantClaim.Kind, _ value: String, at place: Place) {
    claim = TenantClaim(kind: kind, value: value)
    line = place.line
    column = place.column
  }

  var place: Place { Place(line: Int(line), column: Int(column)) }
}

/// What earlier runs and other nodes know of who had what first.
package struct ClaimHistory: Sendable {
  /// The app that first had a domain or another exclusive claim (app IDs apart): no other app gets it.
  package var owners: [TenantClaim: Int64]
  /// The file that an app was last loaded from: of two files with one app ID, this one is loaded.
  package var files: [Int64: String]

  package init(owners: [TenantClaim: Int64] = [:], files: [Int64: String] = [:]) {
    self.owners = owners
    self.files = files
  }
}

/// A claim that an app has or has no more.
package struct ClaimMovement: Sendable, Equatable {
  package enum Kind: Sendable { case taken, left }

  package let kind: Kind
  package let claim: TenantClaim
  package let app: Int64
  package let file: String

  init(_ kind: Kind, _ claim: TenantClaim, app: Int64, file: String) {
    self.kind = kind
    self.claim = claim
    self.app = app
    self.file = file
  }
}
