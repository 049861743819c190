/// The keys of a backend, and how they are read.
enum BackendKeys {
  static let servers = Key.required(
    "servers", ValueType<BackendServer>.backendServer.placed.list(minimum: 1, isUnique: true),
    "Where it runs: for each server a URL, or unix: and the path of a socket, relative to this file.",
    example: "[http://127.0.0.1:9001]")
  static let applicationProtocol = DefaultedKey(
    "protocol", .choice(), BackendConfiguration.ApplicationProtocol.http1,
    "What its servers are spoken to in.")
  static let authorities = Key<String>.optional(
    "ca", .path, "A PEM file with the authorities that sign its servers' certificates, relative to this file.",
    otherwise: "the system's", example: "certs/backends.pem")
  static let policy = DefaultedKey(
    "policy", .choice(), BackendConfiguration.Policy.roundRobin,
    "How a server is chosen: by turns, or of two at random the one with fewer requests under way.")
  static let health = Key.optional(
    "health", .health, "The request by which the gateway asks whether a server is well.", otherwise: "none is sent",
    example: "{ path: /healthz, interval: 5s }")
  static let ejection = DefaultedKey(
    "ejection", .ejection, BackendConfiguration.Ejection(),
    "When requests that failed keep a server from getting more for a while.",
    shownAs: "{ failures: 5, duration: 10s }")
  static let slowStart = DefaultedKey(
    "slowStart", .duration(Milliseconds(0)...(.days(1))), Milliseconds.seconds(10),
    "How long a server that is new or back gets less than its share, from a tenth up; 0s: not at all.")
  static let maxConcurrent = DefaultedKey(
    "maxConcurrent", .integer(1...1_000_000), 10_000, "Requests under way at once; beyond, the answer is 503.")
  static let timeouts = DefaultedKey(
    "timeouts", .timeouts, BackendConfiguration.Timeouts(), "How long the gateway waits for it.",
    shownAs: "{ connect: 2s, response: 30s, idle: 60s }")
  static let retries = DefaultedKey(
    "retries", .integer(0...1), 1, "How often a request is sent again that may be sent twice.")

  static let schema = MappingSchema(
    "a backend",
    [
      servers.row, applicationProtocol.row, authorities.row, policy.row, health.row, ejection.row, slowStart.row,
      maxConcurrent.row, timeouts.row, retries.row,
    ])
}

/// The keys of a backend's time limits.
enum TimeoutKeys {
  private static let range = Milliseconds(1)...Milliseconds.days(1)

  static let connect = DefaultedKey(
    "connect", .duration(range), Milliseconds.seconds(2), "Until a connection to a server stands.")
  static let response = DefaultedKey(
    "response", .duration(range), Milliseconds.seconds(30), "From the end of the request to the head of the answer.")
  static let idle = DefaultedKey(
    "idle", .duration(range), Milliseconds.seconds(60), "The longest silence while a body passes, either way.")

  static let schema = MappingSchema("time limits", [connect.row, response.row, idle.row])
}

/// The keys of a backend's health check.
enum HealthKeys {
  private static let usual = BackendConfiguration.Health(path: "/")

  static let path = Key.required("path", .requestPath, "The path to request.", example: "/healthz")
  static let interval = DefaultedKey(
    "interval", .duration(.seconds(1)...(.days(1))), usual.interval, "How long after one check the next begins.")
  static let timeout = DefaultedKey(
    "timeout", .duration(Milliseconds(1)...(.minutes(1))), usual.timeout, "How long a check may take.")
  static let passes = DefaultedKey(
    "passes", .integer(1...100), Int64(usual.passes), "Good checks in a row after which a server is up again.")
  static let failures = DefaultedKey(
    "failures", .integer(1...100), Int64(usual.failures), "Bad checks in a row after which a server is down.")

  static let schema = MappingSchema("a health check", [path.row, interval.row, timeout.row, passes.row, failures.row])
}

/// The keys of a backend's ejection.
enum EjectionKeys {
  private static let usual = BackendConfiguration.Ejection()

  static let failures = DefaultedKey(
    "failures", .integer(0...1000), Int64(usual.failures), "Failed requests in a row; 0: never.")
  static let duration = DefaultedKey(
    "duration", .duration(Milliseconds(1)...(.days(1))), usual.duration,
    "How long, the first time; each further time doubles it, up to 16 times.")

  static let schema = MappingSchema("an ejection", [failures.row, duration.row])
}

/// A backend before it has its name.
struct BackendDraft: Sendable {
  let servers: [BackendServer]
  let applicationProtocol: BackendConfiguration.ApplicationProtocol
  let authorities: String?
  let policy: BackendConfiguration.Policy
  let health: BackendConfiguration.Health?
  let ejection: BackendConfiguration.Ejection
  let slowStart: Milliseconds
  let maxConcurrent: Int64
  let timeouts: BackendConfiguration.Timeouts
  let retries: Int64

  func named(_ name: String) -> BackendConfiguration {
    BackendConfiguration(
      name: name, servers: servers, applicationProtocol: applicationProtocol, authorities: authorities,
      policy: policy, health: health, ejection: ejection, slowStart: slowStart, maxConcurrent: Int(maxConcurrent),
      timeouts: timeouts, retries: Int(retries))
  }
}

extension ValueType where Value == BackendDraft {
  static var backend: ValueType {
    .mapping(BackendKeys.schema) { reader in
      let servers = reader[BackendKeys.servers]
      reader.diagnostics.checkUnique(servers ?? [], "server")
      return BackendDraft(
        servers: (servers ?? []).map(\.value), applicationProtocol: reader[BackendKeys.applicationProtocol],
        authorities: reader[BackendKeys.authorities], policy: reader[BackendKeys.policy],
        health: reader[BackendKeys.health], ejection: reader[BackendKeys.ejection],
        slowStart: reader[BackendKeys.slowStart], maxConcurrent: reader[BackendKeys.maxConcurrent],
        timeouts: reader[BackendKeys.timeouts], retries: reader[BackendKeys.retries])
    }
  }
}

extension ValueType where Value == BackendConfiguration.Timeouts {
  static var timeouts: ValueType {
    .mapping(TimeoutKeys.schema) { reader in
      BackendConfiguration.Timeouts(
        connect: reader[TimeoutKeys.connect], response: reader[TimeoutKeys.response], idle: reader[TimeoutKeys.idle])
    }
  }
}

extension ValueType where Value == BackendConfiguration.Health {
  static var health: ValueType {
    .mapping(HealthKeys.schema) { reader in
      let (interval, timeout) = (reader[HealthKeys.interval], reader[HealthKeys.timeout])
      let (passes, failures) = (Int(reader[HealthKeys.passes]), Int(reader[HealthKeys.failures]))
      return reader[HealthKeys.path].map {
        BackendConfiguration.Health(
          path: $0, interval: interval, timeout: timeout, passes: passes, failures: failures)
      }
    }
  }
}

extension ValueType where Value == BackendConfiguration.Ejection {
  static var ejection: ValueType {
    .mapping(EjectionKeys.schema) { reader in
      BackendConfiguration.Ejection(
        failures: Int(reader[EjectionKeys.failures]), duration: reader[EjectionKeys.duration])
    }
  }
}

extension Diagnostics {
  /// Reports what a list names twice.
  ///
  /// - Parameters:
  ///   - code: of the problem.
  ///   - what: the kind of thing, for the message.
  func checkUnique<Value: Hashable>(
    _ values: [Placed<Value>], _ what: String, code: ProblemCode = .invalidValue
  ) {
    var lines: [Value: Int32] = [:]
    for item in values {
      if let line = lines[item.value] {
        error(
          code, at: item.place, "this \(what) is listed twice, on line \(line) and line \(item.place.line)",
          hint: "keep one of the two")
      } else {
        lines[item.value] = item.place.line
      }
    }
  }
}
