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

  private var isRead: Bool {
    switch self {
    case .keys, .currentKeys, .counters: true
    case .identityToken, .rotation, .failures, .reset: false
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
    case .failures: "{\"keys\": one of \(KeySetFailure.allCases.map(\.rawValue).joined(separator: ", "))}"
    case .counters: "how often the key set was asked for"
    case .reset: "counters at zero, no failure"
    }
  }

  /// The doors in lines, for the command's help.
  static var help: String {
    let lines = allCases.map { door in
      let start = "  \(door.isRead ? "GET " : "POST") \(door.rawValue)"
      return start + String(repeating: " ", count: max(1, 32 - start.count)) + door.summary
    }
    return lines.joined(separator: "\n") + "\n\nMembers of an identity token's body, all optional:\n"
      + IdentityTokenRequest.memberHelp
  }
}
