import Dispatch
import Glibc
import ProviderKit

/// A plugin that does what the body of a sign-in says under `do`: a word, then what it is about.
struct MisbehavingProvider: Provider {
  let manifest = ProviderManifest(name: "misbehaving", version: "1.0.0")
  let refusedCredential = ProviderFailure(
    status: 401, code: "refused_here", message: "The credential was refused.", reason: "refused")

  func signIn(
    _ request: SignInRequest, using services: any ProviderServices
  ) async throws(ProviderFailure) -> VerifiedIdentity {
    let order = Self.order(in: request.body)
    let word = String(order.prefix { $0 != " " })
    let rest = String(order.dropFirst(word.count + 1))
    switch word {
    case "sign": return identity(rest)
    case "attempt": return identity(String(unsafe attempt(rest)))
    case "refuse": throw ProviderFailure(status: 401, code: rest, message: "Refused.", reason: "as told")
    case "trap": fatalError("as told")
    case "exit": exit(Int32(rest) ?? 0)
    case "spin": await Self.spin()
    case "wait": try? await Task.sleep(for: .milliseconds(Int(rest) ?? 0))
    case "queue": await Self.queue(Int(rest) ?? 0)
    case "sleep": return identity(await Self.sleep())
    case "hang": while true { usleep(1000) }
    case "leak": await Self.leak()
    case "huge": return identity(String(repeating: "x", count: 5 << 20))
    case "garbage": Self.write(Array(rest.utf8))
    case "flood": while true { Self.write([UInt8](repeating: 0x41, count: 1 << 16)) }
    case "questions": await Self.ask(Int(rest) ?? 0, services)
    case "large": return identity(await Self.askLarge(services))
    case "services": return identity(await Self.useAll(services))
    default: break
    }
    return identity(word)
  }

  private func identity(_ subject: String) -> VerifiedIdentity {
    VerifiedIdentity(issuer: "misbehaving", subject: subject, replayKeys: [])
  }

  private static func order(in body: [UInt8]) -> String {
    let text = String(decoding: body, as: UTF8.self)
    guard let name = text.firstRange(of: "\"do\"") else { return "" }
    return String(text[name.upperBound...].drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" })
  }

  /// More work at once than there are threads, past the Swift runtime.
  private static func queue(_ count: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          await withCheckedContinuation { ended in
            DispatchQueue.global().async {
              usleep(50_000)
              ended.resume()
            }
          }
        }
      }
    }
  }

  /// Until it is cancelled.
  private static func sleep() async -> String {
    do {
      try await Task.sleep(for: .seconds(3600))
      return "slept"
    } catch {
      return "cancelled"
    }
  }

  /// On all threads.
  private static func spin() async {
    await withTaskGroup(of: Void.self) { group in for _ in 0..<64 { group.addTask { while true {} } } }
  }

  private static func leak() async {
    var kept: [[UInt8]] = []
    while true { kept.append([UInt8](repeating: UInt8(truncatingIfNeeded: kept.count), count: 1 << 20)) }
  }

  /// Straight to the gateway, past what the process is made of.
  private static func write(_ bytes: [UInt8]) {
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(3, $0.baseAddress, $0.count) }
  }

  private static func ask(_ count: Int, _ services: any ProviderServices) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { _ = await services.now } }
    }
  }

  private static func askLarge(_ services: any ProviderServices) async -> String {
    do throws(CallFailure) {
      return try await services.sign([UInt8](repeating: 0x20, count: 5 << 20))
    } catch {
      return error.reason
    }
  }

  /// Uses every service once, and tells what each one brought.
  private static func useAll(_ services: any ProviderServices) async -> String {
    let challenge = PasskeyChallenge(bytes: [7], relyingParty: "rp", origin: "o")
    let passkey = Passkey(id: [1], publicKey: [2], signCount: 3, isBackedUp: true)
    let token = VerifiedIdentity(issuer: "i", subject: "kept", replayKeys: [])
    let brought = [
      "\(await services.now)", "\(await services.settings)", "\(await services.sha256([1, 2]))",
      await tell { try await services.verify("t", keySetURL: "u", algorithms: [.rs256]).keyID },
      await tell { try await services.verify("t", issuer: "i", algorithms: [.es256]).keyID },
      await tell { try await services.askVerifier([3]).status },
      await tell { try await services.sign([4]) },
      await tell { try await services.post(FormPost(to: "u", [.init("n", "v")])).body },
      "\(await services.random(9))",
      await tell { try await services.records(["a", "b"]).map { $0?.version } },
      await tell { try await services.commit([.remove("a")]) },
      await tell { try await services.derive(password: "p") },
      await tell { try await services.isPassword("p", of: "d") },
      await tell { try await services.send(ProviderMail(to: "r", subject: "s", text: "t")) },
      await tell {
        try await services.register(PasskeyRegistration(clientData: [5], attestation: [6]), for: challenge).signCount
      },
      await tell {
        try await services.verify(
          PasskeyAssertion(clientData: [5], authenticatorData: [6], signature: [8]), of: passkey, for: challenge
        ).signCount
      },
      await tell { try await services.keep(token) },
      await tell { try await services.isRegistered("s", issuer: "i") },
      await tell { try await services.endSessions(of: "s", issuer: "i") },
    ]
    return brought.joined(separator: "; ")
  }

  private static func tell<Value: Sendable>(_ body: () async throws -> Value) async -> String {
    do {
      return "\(try await body())"
    } catch {
      return "failed: \((error as? CallFailure)?.reason ?? (error as? PasskeyFailure)?.reason ?? "\(error)")"
    }
  }
}

@_silgen_name("attempt") private func attempt(_ text: UnsafePointer<CChar>) -> Int32

/// The function by which the gateway gets the provider.
@c(speed_provider_entry)
public func speedProviderEntry() -> UnsafeMutableRawPointer { unsafe ProviderEntry(MisbehavingProvider()).handOver() }
