import GatewayBase
import GatewayIO
import GatewayIdentity

extension Command {
  static let revokeToken = Command(
    "revoke", "end a token, or all of a user's in an app, on all nodes within two seconds",
    operands: .token(0...1), options: [.jti, .user, .app],
    example: "speed-gateway token revoke --jti 0Xk3vN9sT1mQ2bYc7uLr4w",
    .action { invocation in
      let target = try RevocationTarget(invocation)
      let settings = try Settings(invocation)
      let revocation: Revocation
      switch target {
      case .token(let token): revocation = try settings.revocation(ofToken: token)
      case .scope(let scope): revocation = Revocation(scope, expiresAt: SystemClock().now.adding(seconds: longest))
      }
      try await settings.revoke(revocation)
      try StandardStream.output.write("revoked: \(revocation.scope.text)\n")
      return 0
    })

  /// Seconds until no token that exists now is good by itself, with a minute for clocks that differ.
  private static let longest = Limits.tokenLifetime + 60
}

extension CommandOption {
  fileprivate static let jti = CommandOption("jti", "ID", "the token's id, in place of the token")
  fileprivate static let user = CommandOption("user", "ID", "the user whose tokens end; goes with --app")
  fileprivate static let app = CommandOption("app", "ID", "the app whose tokens of the user end; goes with --user")
}

/// What `token revoke` is asked to end.
private enum RevocationTarget {
  case token([UInt8])
  case scope(Revocation.Scope)

  init(_ invocation: Invocation) throws {
    let (jti, user, app) = (invocation[.jti], invocation[.user], try invocation.app(.app))
    switch (invocation.operands.isEmpty, jti, user, app) {
    case (false, nil, nil, nil): self = .token(try invocation.token())
    case (true, let jti?, nil, nil): self = .scope(.token(jti: try identifier(jti, of: "--jti")))
    case (true, nil, let user?, let app?):
      self = .scope(.user(try identifier(user, of: "--user"), app: app, issuedUntil: SystemClock().now))
    default: throw UsageError("name one of TOKEN, --jti, or --user with --app")
    }
  }
}

extension Settings {
  /// - Throws: `CommandFailure` where the token is not good anyway: only what a gateway signed is revoked.
  fileprivate func revocation(ofToken token: [UInt8]) throws -> Revocation {
    switch try verdict(on: token, now: SystemClock().now) {
    case .success(let good): return Revocation(.token(jti: good.id), expiresAt: good.expiresAt)
    case .failure(let rejection):
      throw CommandFailure("there is nothing to revoke, as the token is not good: \(rejection)")
    }
  }
}

extension Revocation.Scope {
  /// What ends, in words.
  fileprivate var text: String {
    switch self {
    case .token(let jti): "token \(jti)"
    case .user(let user, let app, _): "all tokens of user \(user) in app \(app)"
    }
  }
}
