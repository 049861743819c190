import GatewayBase
import GatewayConfig
import GatewayOutbound

/// What the gateway that runs by this configuration says of its tenant files: those of which it does not run what the
/// folder has.
struct RunningTenants: Equatable {
  struct File: Equatable {
    let path: String
    /// `stale` or `refused`.
    let state: String
    /// RFC 3339.
    let since: String
  }

  /// Of the admin listener.
  let address: String
  /// How many files are in each state, by its name.
  let counts: [String: Int64]
  let files: [File]

  /// Asks the admin listener of this machine; nil where none answers, or none that tells.
  static func ask(_ configuration: AdminConfiguration, environment: [String: String]) async -> RunningTenants? {
    let address = configuration.address
    // A token does not go to another machine in the clear.
    let isHere = address.isLoopback || ["0.0.0.0", "::"].contains(address.host.description)
    guard isHere, address.port != 0 else { return nil }
    let host = address.isLoopback ? address.host.bracketed : "127.0.0.1"
    let client = OutboundClient(threads: 1)
    var counts: [String: Int64] = [:]
    var files: [File] = []
    for state in [TenantSet.State.stale, .refused] {
      let text = "http://\(host):\(address.port)/tenants?state=\(state.rawValue)&limit=\(Limits.runningFilesTold)"
      guard let url = try? ServiceURL(text) else { return nil }
      var request = OutboundRequest.get(url)
      request.timeout = Limits.adminPatience
      request.responseLimit = Limits.runningFilesTold * Limits.requestHeadCeiling
      request.bearer = configuration.token?.resolve(environment: environment)
      guard let answer = try? await client.send(request), answer.status == 200,
        let told = try? JSONValue(parsing: answer.body)
      else { return nil }
      for (name, count) in told["files"]?.object ?? [:] { counts[name] = count.integer }
      files += (told["tenants"]?.array ?? []).compactMap(File.init)
    }
    return RunningTenants(address: "\(host):\(address.port)", counts: counts, files: files)
  }
}

extension RunningTenants.File {
  fileprivate init?(_ value: JSONValue) {
    guard let path = value["file"]?.string, let state = value["state"]?.string, let since = value["since"]?.string
    else {
      return nil
    }
    self.init(path: path, state: state, since: since)
  }
}

extension RunningTenants {
  /// What it says, in lines; of a stale file an older version runs than the one that is compared.
  var text: String {
    let order = ["ok", "stale", "refused"]
    let told = order.compactMap { state in counts[state].map { "\($0) \(state)" } }.joined(separator: ", ")
    var out = "the gateway at \(address) has \(told)\n"
    for file in files {
      let meaning = file.state == "stale" ? "an older version of it runs" : "nothing runs of it"
      out += "  \(ProblemReport.printable(file.path)): \(file.state) since \(file.since): \(meaning)\n"
    }
    return out
  }

  var json: JSONTree {
    .members([
      "address": .text(address),
      "counts": .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }),
      "files": .list(
        files.map { .members(["file": .text($0.path), "state": .text($0.state), "since": .text($0.since)]) }),
    ])
  }
}
