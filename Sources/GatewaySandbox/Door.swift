import GatewayHTTP

/// The paths that the sandbox answers.
enum Door: String, CaseIterable {
  case keys = "/auth/keys"
  case identityToken = "/sandbox/identity-token"
  case currentKeys = "/sandbox/keys"
  case rotation = "/sandbox/keys/rotate"
  case failures = "/sandbox/failures"
  case counters = "/sandbox/counters"
  case reset = "/sandbox/reset"
  case authorize = "/auth/authorize"
  case token = "/auth/token"
  case revoke = "/auth/revoke"
  case migration = "/auth/usermigrationinfo"
  case developerKey = "/sandbox/developer-key"
  case notification = "/sandbox/notification"
  case withdrawal = "/sandbox/withdraw"
  case transferID = "/sandbox/transfer-id"
  case calls = "/sandbox/calls"
  case grants = "/sandbox/grants"

  private var isRead: Bool {
    switch self {
    case .keys, .currentKeys, .counters, .calls, .grants, .authorize: true
    case .identityToken, .rotation, .failures, .reset, .token, .revoke, .migration, .developerKey, .notification,
      .withdrawal, .transferID:
      false
    }
  }

  /// Whether it takes this method.
  func takes(_ method: HTTPMethod) -> Bool { isRead ? method == .get || method == .head : method == .post }

  /// Its methods as `Allow` lists them.
  var allow: String { isRead ? "GET, HEAD" : "POST" }

  /// What it is for, as the command's help tells it.
  var summary: String {
    switch self {
    case .keys: "Apple's key set, as its failure switch has it"
    case .identityToken: "an identity token as the JSON body describes it (members below)"
    case .currentKeys: "the key set, whatever the failure switch says; not counted"
    case .rotation: "a new key joins the set and signs, the oldest leaves"
    case .failures: "what the doors answer from now on (members below)"
    case .counters: "how often the key set and the token services were asked"
    case .reset: "counters at zero, no call recorded, no failure"
    case .authorize: "Apple's page in a browser: continue or cancel; sub=… names the user"
    case .token: "Apple's exchange of codes, check of refresh tokens and client credentials"
    case .revoke: "Apple's revocation: 200 and nothing, for unknown tokens too"
    case .migration: "Apple's move of users to another team, both sides"
    case .developerKey: "a sign-in key as a .p8 file holds it, and its id; signatures are checked from then on"
    case .notification: "a server-to-server notification (members below)"
    case .withdrawal: "{\"sub\": …}: the user takes back what he granted; his refresh tokens end"
    case .transferID: "{\"sub\": …, \"target\": …}: the transfer_sub of a user, as identity tokens then have it"
    case .calls: "the calls of the token services, with client secrets taken apart"
    case .grants: "the refresh tokens that were given out, and which are revoked"
    }
  }

  /// The doors in lines, for the command's help.
  static var help: String {
    let lines = allCases.map { door in
      let start = "  \(door.isRead ? "GET " : "POST") \(door.rawValue)"
      return start + String(repeating: " ", count: max(1, 32 - start.count)) + door.summary
    }
    return lines.joined(separator: "\n") + "\n\nMembers of an identity token's body, all optional:\n"
      + IdentityTokenRequest.memberHelp + "\n\nMembers of a notification's body, all optional:\n"
      + NotificationRequest.memberHelp + """


        Members of the failures' body, one at least:
          keys                   \(KeySetFailure.allCases.map(\.rawValue).joined(separator: ", "))
          token, revoke, migration
                                 \(ServiceFailure.allCases.prefix(6).map(\.rawValue).joined(separator: ", ")),
                                 \(ServiceFailure.allCases.dropFirst(6).map(\.rawValue).joined(separator: ", "))
          stuckSubjects          users whom the migration door refuses
        """
  }
}
