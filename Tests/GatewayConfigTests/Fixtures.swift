import GatewayBase

@testable import GatewayConfig

/// A tenant's file with just the required keys; `lines` replace the line of the same key or come behind.
func tenant(_ lines: String...) -> String {
  var keys = [
    "appId: 123", "name: Notes", "domains: [notes.localhost]",
    "backends: { api: { servers: [http://127.0.0.1:9001] } }", "routes: [{ path: /, backend: api }]",
  ]
  for line in lines {
    let key = line.prefix { $0 != ":" }
    if let index = keys.firstIndex(where: { $0.hasPrefix("\(key):") }) {
      keys[index] = line
    } else {
      keys.append(line)
    }
  }
  return keys.joined(separator: "\n") + "\n"
}

func read(_ yaml: String, path: String = "t.yaml", environment: [String: String] = [:]) -> TenantFile {
  TenantFile.read(path, bytes: Array(yaml.utf8), environment: environment)
}

func problems(_ yaml: String) -> [Problem] { read(yaml).problems }

func gateway(_ yaml: String, environment: [String: String] = [:]) -> GatewayFile {
  GatewayFile.read("gateway.yaml", bytes: Array(yaml.utf8), environment: environment)
}

extension Problem {
  /// `line:column severity code`: what most tests compare.
  var brief: String { "\(line):\(column) \(severity.rawValue) \(code.rawValue)" }
}

extension [Problem] {
  var brief: [String] { map(\.brief) }
  var errors: [Problem] { filter { $0.severity == .error } }
}

/// The tenant of the contract, every key of it.
let fullTenant = """
  # tenants/notes.yaml
  appId: 123                             # an integer, unique
  name: Notes
  domains: [notes.spdso.app, notes.localhost]
  owner: owner@example.com               # the regular account that pays for resources
  ios:
    bundleIds: [com.example.notes]
    urlSchemes: [notesapp]               # without ://
    teamId: ABCDE12345                   # with signInKey: code exchange and revocation
    signInKey: { id: KEY1234567, file: secrets/notes.p8 }   # or { id: …, env: NOTES_P8 }
    servicesId: com.example.notes.web    # Sign in with Apple on the web
  redirects: [https://notes.example.com/signed-in]          # besides urlSchemes and domains
  providers: [apple-native, speed-web, relay]
  relay:
    issuers:
      - { issuer: https://securetoken.google.com/notes, audience: notes }
    verifier: { url: https://notes.example.com/verify, secretEnv: NOTES_VERIFIER }
  sessions: { lifetime: 7d }
  usage: { source: local }
  serverKeys: [{ id: main, env: NOTES_SERVER_KEY }]
  backends:
    api:
      servers: [http://127.0.0.1:9001, http://127.0.0.1:9002]
      policy: leastRequests              # or roundRobin
      health: { path: /healthz, interval: 5s }
      timeouts: { connect: 2s, response: 30s, idle: 60s }
      retries: 1                         # only what may be sent twice
  routes:
    - { path: /public/, backend: api, auth: none }
    - { path: /v1/generate, backend: api, auth: required, units: 5, rateLimit: { requests: 10, per: 1s, by: user } }
    - { path: /, backend: api, auth: required, methods: [GET, POST], maxBody: 10MiB }
  cors: { origins: [https://notes.example.com] }
  requestFrom: [app, web]
  """
