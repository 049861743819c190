/// What the reference tells of a code of `check`.
struct ProblemGuide {
  /// Files that have the problem: lines of a tenant's file whose other keys do not matter here, or a whole file.
  enum Example {
    case tenant([String])
    /// Two tenants that are both there.
    case tenants([String], [String])
    case gateway(String)
    /// The whole text of a file.
    case file(String)
    /// No text of a file brings it about: what does.
    case words(String)
  }

  /// When it comes up.
  let meaning: String
  let example: Example
  let mend: String
}

extension ProblemCode {
  var guide: ProblemGuide {
    switch self {
    case .unreadableFile, .invalidYAML, .unsupportedYAML, .emptyFile: textGuide
    case .unknownKey, .duplicateKey, .missingKey, .notYetActive: keyGuide
    case .duplicateApp, .duplicateDomain, .duplicateServerKey, .reservedDomain, .bundleIDConflict, .sharedScheme:
      acrossGuide
    case .teamChanged: teamGuide
    case .unresolvedName, .certificateProblem: onlineGuide
    default: valueGuide
    }
  }

  private var textGuide: ProblemGuide {
    switch self {
    case .unreadableFile:
      ProblemGuide(
        meaning: "The file or folder can't be read: it is not there, or its permissions keep the gateway out.",
        example: .words("a tenant file with mode 000, or `tenants:` that names a folder that is not there"),
        mend: "Make it readable for the user that the gateway runs as, or name another folder in `gateway.yaml`.")
    case .invalidYAML:
      ProblemGuide(
        meaning: """
          The text is not YAML of this dialect: wrong indentation, an open quote or bracket, a tab, a byte order mark,
          bytes that are not UTF-8, over 256 KiB, nested over 16 deep, over 5,000 keys and values.
          """,
        example: .file("appId: 123\nname: [Notes\n"), mend: "Mend the place that is named; the hint says what is due.")
    case .unsupportedYAML:
      ProblemGuide(
        meaning: "Anchors, aliases, `<<`, tags, directives and second documents are not part of the dialect.",
        example: .tenant(["requestFrom: &values [app, web]"]), mend: "Write the value out where it is used.")
    default:
      ProblemGuide(
        meaning: "The file has no keys.", example: .file("# nothing but this line\n"),
        mend: "Write its keys, or remove the file. `speed-gateway tenant new` writes a start.")
    }
  }

  private var keyGuide: ProblemGuide {
    switch self {
    case .unknownKey:
      ProblemGuide(
        meaning: "The mapping has no such key. Keys that begin with `x-` are notes and pass.",
        example: .tenant(["redirect: [https://notes.example.com/in]"]),
        mend: "Take the key that is suggested, or write it as `x-…` if it is a note.")
    case .duplicateKey:
      ProblemGuide(
        meaning: "One mapping has a key twice, maybe once in quotes. Which one was meant can't be told.",
        example: .file("appId: 1\nname: Notes\n\"name\": Recipes\n"), mend: "Keep one of the two.")
    case .missingKey:
      ProblemGuide(
        meaning: "A required key is absent. The place is that of the mapping that lacks it.",
        example: .tenant(["routes: [{ path: / }]"]), mend: "Add the key; the hint has an example.")
    default:
      ProblemGuide(
        meaning: "A warning: the key is read and checked, but nothing acts on it in this release.",
        example: .tenant(["routes: [{ path: /, backend: api, units: 5 }]"]),
        mend: "It may stay: a later release acts on it.")
    }
  }

  private var valueGuide: ProblemGuide {
    switch self {
    case .emptyValue:
      ProblemGuide(
        meaning: "The key has no value: nothing, `~` or `null`, or an empty list where one item is due.",
        example: .tenant(["name: ~"]), mend: "Write a value, or remove the key.")
    case .plainSecret:
      ProblemGuide(
        meaning: "A secret stands in the file, where backups and histories carry it.",
        example: .gateway("store: { url: \"mariadb://speed:hunter2@db.example.com/speed\" }\n"),
        mend: "Name its variable or its file (`env`, `file`, `passwordEnv`), and replace the secret: it has been seen.")
    case .secretMissing:
      ProblemGuide(
        meaning: "A warning: the variable or the file of a secret is not there. What needs it answers 503 until it is.",
        example: .tenant(["serverKeys: [{ id: main, env: NOTES_SERVER_KEY }]"]),
        mend: "Set the variable for the gateway's process, or put the file in its place.")
    case .unusableLogo:
      ProblemGuide(
        meaning: "A warning: the picture is not there, or is too large for a page. Pages show the app's name alone.",
        example: .tenant(["logo: notes.svg"]), mend: "Put the file in its place, or make it smaller.")
    case .unknownBackend:
      ProblemGuide(
        meaning: "A route names a backend that the file does not have.",
        example: .tenant(["routes: [{ path: /, backend: web }]"]), mend: "Add it under `backends`, or name another.")
    case .unknownProvider:
      ProblemGuide(
        meaning: "A warning: no plugin has the name. Sign-in by it answers 503 `provider_unavailable`.",
        example: .tenant(["providers: [apple-nativ]"]), mend: "Name a plugin that `speed-gateway plugin list` shows.")
    case .reservedScheme:
      ProblemGuide(
        meaning:
          "The URL scheme means something to browsers or the system: an app could receive what is not its own by it.",
        example: .tenant(["ios: { urlSchemes: [javascript] }"]), mend: "Use one of your own, such as com.example.notes."
      )
    case .weakScheme:
      ProblemGuide(
        meaning: "A warning: a scheme without a dot can be claimed by any other app of a device.",
        example: .tenant(["ios: { urlSchemes: [notesapp] }"]), mend: "Take a scheme with your domain in it.")
    case .reservedPath:
      ProblemGuide(
        meaning: "Paths that begin with `/.well-known/speed` are the gateway's own.",
        example: .tenant(["routes: [{ path: /.well-known/speed/x, backend: api }]"]), mend: "Choose another path.")
    case .unknownVariable:
      ProblemGuide(
        meaning: "A warning: a variable that begins with `SPEED_` is nearly one that stands for a key, but not quite.",
        example: .words("`SPEED_STORE_ULR=sqlite:var/gateway.db` in the environment"),
        mend: "Take the variable that is suggested.")
    default:
      ProblemGuide(
        meaning: "The value is not of the form, or not within the range, that the key takes.",
        example: .tenant(["routes: [{ path: /, backend: api, auth: yes }]"]),
        mend: "Write what the hint says. The tables above tell the form of each key.")
    }
  }

  private var acrossGuide: ProblemGuide {
    switch self {
    case .duplicateApp:
      ProblemGuide(
        meaning: "Two files have one app ID. The file that had it first is loaded.",
        example: .tenants(["appId: 123", "domains: [a.example.com]"], ["appId: 123", "domains: [b.example.com]"]),
        mend: "Give one of the two another number; `speed-gateway tenant new` picks one that is free.")
    case .duplicateDomain:
      ProblemGuide(
        meaning:
          """
          Two apps have one domain, or a file lists it twice. Upper case, a final dot and the punycode of its letters make
          no other domain.
          """,
        example: .tenants(["appId: 1", "domains: [a.example.com]"], ["appId: 2", "domains: [A.example.com.]"]),
        mend: "Remove it from one of the two. The app that had it first keeps it.")
    case .duplicateServerKey:
      ProblemGuide(
        meaning: "Two apps have one server key, so a call could not be told apart.",
        example: .tenants(
          ["appId: 1", "domains: [a.example.com]", "serverKeys: [{ id: main, env: KEY }]"],
          ["appId: 2", "domains: [b.example.com]", "serverKeys: [{ id: main, env: KEY }]"]),
        mend: "Give each app a secret of its own.")
    case .reservedDomain:
      ProblemGuide(
        meaning: "The domain is one of the gateway's own hosts (`platform`, `admin`).",
        example: .tenant(["domains: [localhost]"]), mend: "Choose another domain for the app, such as notes.localhost.")
    case .bundleIDConflict:
      ProblemGuide(
        meaning: "A conflict: two apps list one bundle ID or Services ID. Both run, and nobody signs in by it: 403.",
        example: .tenants(
          ["appId: 1", "domains: [a.example.com]", "ios: { bundleIds: [com.example.notes] }"],
          ["appId: 2", "domains: [b.example.com]", "ios: { bundleIds: [com.example.notes] }"]),
        mend: "Remove it from one of the two. Sign-in works within a second then.")
    default:
      ProblemGuide(
        meaning: "A warning: two apps list one URL scheme. A device opens either app.",
        example: .tenants(
          ["appId: 1", "domains: [a.example.com]", "ios: { urlSchemes: [com.example.notes] }"],
          ["appId: 2", "domains: [b.example.com]", "ios: { urlSchemes: [com.example.notes] }"]),
        mend: "Give each app a scheme of its own.")
    }
  }

  private var teamGuide: ProblemGuide {
    ProblemGuide(
      meaning: """
        A warning of `check` and of the running gateway: the store knows users of the app under another team than the file
        names, or under none. An account is found by app, team and Apple's id of the user, so they would all begin anew.
        `check` says nothing where the store is not there.
        """,
      example: .words("`teamId: NEWTEAM999` where users have signed in under `ABCDE12345`"),
      mend: """
        Where Apple has moved the app, run `speed-gateway apple transfer`, which moves its users. Otherwise write the old
        value again.
        """)
  }

  private var onlineGuide: ProblemGuide {
    switch self {
    case .unresolvedName:
      ProblemGuide(
        meaning: "A hint of `check --online`: the name of a domain or a backend has no address here and now.",
        example: .words("`servers: [http://api.internal:9001]` on a machine that does not know `api.internal`"),
        mend: "Mend the spelling or the DNS record. The gateway asks again by itself.")
    default:
      ProblemGuide(
        meaning:
          """
          A hint of `check --online`: a certificate is unreadable, ends soon or has ended, or no listener has one for a
          domain.
          """,
        example: .words(
          "`tls: [{ certificate: certs/speed.pem, key: certs/speed.key }]` with a certificate that ended"),
        mend: "Renew it, or add one for the domain. Changed files are served without a restart.")
    }
  }
}
