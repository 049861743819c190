/// The keys of a backend, and how they are read.
enum BackendKeys {
  static let servers = Key.required(
    "servers", ValueType<BackendServer>.backendServer.placed.list(minimum: 1),
    "Where it runs: one URL for each server.",
    example: "[http://127.0.0.1:9001]")
  static let policy = DefaultedKey(
    "policy", .choice(later: ["leastRequests"]), BackendConfiguration.Policy.roundRobin, "How a server is chosen.")
  static let health = Key.optional(
    "health", .health, "The request by which the gateway asks whether a server is well.", otherwise: "none is sent",
    example: "{ path: /healthz, interval: 5s }", .later)
  static let timeouts = DefaultedKey(
    "timeouts", .timeouts, BackendConfiguration.Timeouts(), "How long the gateway waits for it.",
    shownAs: "{ connect: 2s, response: 30s, idle: 60s }")
  static let retries = DefaultedKey(
    "retries", .integer(0...1), 1, "How often a request is sent again that may be sent twice.")

  static let schema = MappingSchema("a backend", [servers.row, policy.row, health.row, timeouts.row, retries.row])
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
  static let path = Key.required("path", .requestPath, "The path to request.", example: "/healthz")
  static let interval = DefaultedKey(
    "interval", .duration(.seconds(1)...(.days(1))), Milliseconds.seconds(5),
    "How long after one check the next begins.")

  static let schema = MappingSchema("a health check", [path.row, interval.row])
}

/// A backend before it has its name.
struct BackendDraft: Sendable {
  let servers: [BackendServer]
  let policy: BackendConfiguration.Policy
  let health: BackendConfiguration.Health?
  let timeouts: BackendConfiguration.Timeouts
  let retries: Int64

  func named(_ name: String) -> BackendConfiguration {
    BackendConfiguration(
      name: name, servers: servers, policy: policy, health: health, timeouts: timeouts, retries: Int(retries))
  }
}

extension ValueType where Value == BackendDraft {
  static var backend: ValueType {
    .mapping(BackendKeys.schema) { reader in
      let servers = reader[BackendKeys.servers]
      reader.diagnostics.checkUnique(servers ?? [], "server")
      return BackendDraft(
        servers: (servers ?? []).map(\.value), policy: reader[BackendKeys.policy], health: reader[BackendKeys.health],
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
      let interval = reader[HealthKeys.interval]
      return reader[HealthKeys.path].map { BackendConfiguration.Health(path: $0, interval: interval) }
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
