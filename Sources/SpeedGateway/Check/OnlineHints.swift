import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayTLS

/// What `check --online` finds in the world around the files. Nothing of it is an error: another machine, or another
/// minute, may know better.
enum OnlineHints {
  static func find(_ result: CheckResult) async -> [Problem] {
    let certificates = certificateHints(result)
    return await nameHints(result) + certificates
  }

  // MARK: - Names

  /// A name, with the files that use it.
  private struct Use: Sendable {
    let file: String
    let what: String
    let steps: [FilePlaces.Step]
  }

  private static func nameHints(_ result: CheckResult) async -> [Problem] {
    var uses: [String: [Use]] = [:]
    for tenant in result.tenants {
      guard let configuration = tenant.configuration else { continue }
      for (index, domain) in configuration.domains.enumerated() where !isLocal(domain.description) {
        uses[domain.description, default: []].append(
          Use(file: tenant.path, what: "the domain", steps: ["domains", .index(index)]))
      }
      for backend in configuration.backends {
        for (index, server) in backend.servers.enumerated() {
          guard case .network(_, let host, _) = server, !isLocal(host) else { continue }
          uses[host, default: []].append(
            Use(
              file: tenant.path, what: "the server",
              steps: ["backends", .key(backend.name), "servers", .index(index)]))
        }
      }
    }
    let unknown = await withoutAddress(Array(uses.keys))
    return unknown.flatMap { name in
      (uses[name] ?? []).map { use in
        Problem(
          file: use.file, place: FilePlaces(file: use.file).location(use.steps) ?? .start, severity: .hint,
          code: .unresolvedName, message: "\(use.what) `\(name)` has no address here and now",
          hint: "mend the name or its DNS record")
      }
    }
  }

  /// Names that mean this machine by themselves (RFC 6761 section 6.3), and addresses.
  private static func isLocal(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost") || IPAddress(name) != nil
  }

  /// Those of `names` that have no address; a look-up that takes too long says nothing.
  private static func withoutAddress(_ names: [String]) async -> [String] {
    guard !names.isEmpty else { return [] }
    let pool = BlockingPool(
      name: "names", threads: min(names.count, Limits.namesLookedUpTogether), queueLimit: names.count)
    let (answers, teller) = AsyncStream.makeStream(of: (name: String, isKnown: Bool)?.self)
    for name in names.sorted() {
      try? pool.submit { teller.yield((name, (try? NameResolver.resolve(name, port: 0)) != nil)) }
    }
    let patience = Task {
      try? await Task.sleep(nanoseconds: UInt64(Limits.onlinePatience) * 1_000_000_000)
      teller.yield(nil)
    }
    defer { patience.cancel() }
    var unknown: [String] = []
    var left = names.count
    for await answer in answers {
      guard let answer else { break }
      if !answer.isKnown { unknown.append(answer.name) }
      left -= 1
      if left == 0 { break }
    }
    return unknown.sorted()
  }

  // MARK: - Certificates

  private static func certificateHints(_ result: CheckResult) -> [Problem] {
    guard let file = result.gateway.path else { return [] }
    let listeners = result.gateway.configuration.listen
    guard listeners.contains(where: { !$0.tls.isEmpty }) else { return [] }
    let places = FilePlaces(file: file)
    var hints: [Problem] = []
    var identities: [TLSIdentity] = []
    for (number, listener) in listeners.enumerated() {
      for (index, pair) in listener.tls.enumerated() {
        let steps: [FilePlaces.Step] = ["listen", .index(number), "tls", .index(index), "certificate"]
        func add(_ message: String, _ hint: String) {
          hints.append(
            Problem(
              file: file, place: places.location(steps) ?? .start, severity: .hint, code: .certificateProblem,
              message: message, hint: hint))
        }
        do throws(TLSProblem) {
          let identity = try TLSIdentityFiles.read(certificate: pair.certificate, key: pair.key)
          identities.append(identity)
          let now = SystemClock().now
          if let problem = identity.timeProblem(at: now) {
            add(problem, "renew it")
          } else if identity.timeProblem(at: now.adding(seconds: Limits.certificateNotice)) != nil {
            add("the certificate ends within two weeks", "renew it")
          }
        } catch {
          add("\(error)", "without it the listener has no certificate for these names")
        }
      }
    }
    return hints + unservedDomains(result, ServedNames(identities))
  }

  /// Domains for which no listener has a certificate.
  private static func unservedDomains(_ result: CheckResult, _ served: ServedNames) -> [Problem] {
    result.tenants.flatMap { tenant in
      (tenant.configuration?.domains ?? []).enumerated().compactMap { index, domain in
        guard !isLocal(domain.description), !served.contain(domain) else { return nil }
        let place = FilePlaces(file: tenant.path).location(["domains", .index(index)])
        return Problem(
          file: tenant.path, place: place ?? .start, severity: .hint, code: .certificateProblem,
          message: "no certificate of a listener is for `\(domain)`",
          hint: "add one under listen in gateway.yaml, unless TLS ends before the gateway")
      }
    }
  }
}
