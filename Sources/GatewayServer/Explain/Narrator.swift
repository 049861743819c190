import GatewayBase
import GatewayConfig
import GatewayProxy

/// Puts what the pipeline decided into words, each with the line of the file that decides it.
struct Narrator {
  private let request: ExplainedRequest
  private let configuration: TenantConfiguration?
  private let file: String
  private let places: FilePlaces?
  private(set) var explanation = Explanation()

  init(request: ExplainedRequest, configuration: TenantConfiguration?, file: String?) {
    self.request = request
    self.configuration = configuration
    self.file = file ?? ""
    places = file.map { FilePlaces(file: $0) }
  }

  /// A fact.
  private mutating func add(_ name: String, _ value: String, at place: String? = nil) {
    explanation.steps.append(Explanation.Step(name, value, at: place, isRule: false))
  }

  /// A rule of the app.
  private mutating func add(rule name: String, _ value: String, at place: String?) {
    explanation.steps.append(Explanation.Step(name, value, at: place, isRule: true))
  }

  // MARK: - Host

  mutating func tellHost(_ host: HostName?, _ set: TenantSet) {
    guard let host else { return add("host", "`\(request.authority)` is no host that a request may have") }
    if set.reserves(host) { return add("host", "\(host) is the gateway's own") }
    if let configuration {
      explanation.app = Explanation.App(id: configuration.appID, name: configuration.name, file: file)
      let place = places?.domain(host).flatMap { places?.place("domains", .index($0)) }
      return add("host", "\(host): app \(configuration.appID), \(configuration.name)", at: place)
    }
    let claimants = set.claimants(of: host)
    add("host", claimants.isEmpty ? "no file has the domain \(host)" : "no app that is loaded has the domain \(host)")
    for claimant in claimants {
      add("file", "\(claimant.path) has it, but is \(claimant.state.rawValue)", at: claimant.place)
      for problem in claimant.obstacles {
        add(
          "problem", "\(problem.message) (\(problem.code.rawValue))",
          at: "\(problem.file):\(problem.line):\(problem.column)")
      }
    }
  }

  // MARK: - Refusals

  mutating func refuse(_ refusal: Refusal, assuming assumption: String?) {
    explanation.allow = refusal.allow
    explanation.refusals.append(
      Explanation.Refused(
        status: refusal.status, code: refusal.code, message: refusal.message, assumption: assumption))
  }

  // MARK: - Rules

  mutating func tell(_ outcome: TrialOutcome, assuming added: [String]) {
    if !outcome.path.isEmpty, outcome.app != nil {
      let isPlain = outcome.path == request.target.prefix { $0 != "?" }
      add("path", outcome.path + (isPlain ? "" : ", the canonical form"), at: rule("paths"))
    }
    if let configuration, let route = outcome.route { tellRoute(route, configuration, outcome) }
    if request.peer != outcome.address { add("address", "\(outcome.address), by a trusted proxy") }
    if let fields = outcome.corsFields, request.has("Origin") {
      add(
        rule: "cors", outcome.allowsOrigin ? "the page may read the answer" : "the page's origin is not listed",
        at: rule("cors"))
      explanation.answerFields += Self.lines(fields)
    }
    switch outcome.verdict {
    case .refused(let refusal): refuse(refusal, assuming: nil)
    case .served:
      explanation.isMatched = true
      add("answer", "the gateway itself answers: the platform API or its pages")
    case .answered(let response):
      explanation.isMatched = true
      explanation.answer = (response.status, response.fields.map { "\($0.name): \($0.value)" })
    case .forwarded(let head):
      let isPresumed = added.contains("Authorization")
      explanation.head = Self.lines(head).map { line in
        line.hasPrefix("traceparent:") && !request.has("traceparent")
          ? "traceparent: <new>" : Self.shown(line, isPresumed: isPresumed)
      }
    }
  }

  private mutating func tellRoute(
    _ route: Route, _ configuration: TenantConfiguration, _ outcome: TrialOutcome
  ) {
    let path = String(decoding: route.path, as: UTF8.self)
    guard let rule = configuration.routes.first(where: { $0.path == path }) else { return }
    explanation.isMatched = true
    explanation.route = path
    let index = places?.route(path)
    func place(_ key: String) -> String? { index.flatMap { places?.place("routes", .index($0), .key(key)) } }
    let others = outcome.matching.filter { $0 != path }
    add("route", others.isEmpty ? path : "\(path), longer than \(others.joined(separator: ", "))", at: place("path"))
    add(rule: "methods", rule.methods?.joined(separator: ", ") ?? "any", at: place("methods"))
    let token = outcome.isAdmitted && request.has("Authorization") ? "; the token is good" : ""
    add(rule: "auth", rule.auth == .required ? "required\(token)" : "none: for everyone", at: place("auth"))
    if let limit = rule.rateLimit {
      add(rule: "rateLimit", "\(limit.requests) in \(limit.per) by \(limit.by)", at: place("rateLimit"))
    } else {
      add(rule: "rateLimit", "none", at: nil)
    }
    add(rule: "requestFrom", configuration.requestFrom.joined(separator: ", "), at: self.rule("requestFrom"))
    add(rule: "maxBody", "\(rule.maxBody)", at: place("maxBody"))
    add(rule: "price", "\(rule.units) unit\(rule.units == 1 ? "" : "s")", at: place("units"))
    add(
      rule: "forwardToken", rule.forwardToken ? "the backend gets the token" : "the token stays here",
      at: place("forwardToken"))
    tellBackend(configuration.backends[rule.backend], at: place("backend"))
  }

  private mutating func tellBackend(_ backend: BackendConfiguration, at place: String?) {
    explanation.backend = Explanation.Backend(
      name: backend.name, policy: backend.policy.rawValue, servers: backend.servers.map(\.description))
    func inside(_ key: String) -> String? { places?.place("backends", .key(backend.name), .key(key)) }
    add("backend", backend.name, at: place)
    let choice = backend.servers.count == 1 ? "" : ", \(backend.policy)"
    add(
      rule: "servers", backend.servers.map(\.description).joined(separator: ", ") + choice, at: inside("servers"))
    add(rule: "protocol", backend.applicationProtocol.rawValue, at: inside("protocol"))
    let timeouts = backend.timeouts
    add(
      rule: "timeouts", "connect \(timeouts.connect), response \(timeouts.response), idle \(timeouts.idle)",
      at: inside("timeouts"))
    add(rule: "retries", "\(backend.retries)", at: inside("retries"))
    add(rule: "health", backend.health.map { "\($0.path) each \($0.interval)" } ?? "not checked", at: inside("health"))
  }

  private func rule(_ key: String) -> String? { places?.place(.key(key)) }

  // MARK: - Heads

  private static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  /// Without the token and the proof that backends get, which would be good in other hands too; and without what is
  /// another one each time.
  private static func shown(_ line: String, isPresumed: Bool) -> String {
    let name = line.prefix { $0 != ":" }
    switch name.lowercased() {
    case "authorization": return "\(name): Bearer <the token>"
    case "x-speed-assertion": return "\(name): <signed for this user and app, good for 60 s>"
    case "x-speed-user-id" where isPresumed: return "\(name): <the user's id>"
    case "x-speed-app-user-uuid" where isPresumed: return "\(name): <the user's UUID in this app>"
    case "x-speed-role" where isPresumed: return "\(name): <the user's role>"
    case "x-speed-local-user" where isPresumed: return "\(name): <true or false>"
    case "x-request-id": return "\(name): <new>"
    default: return line
    }
  }
}
