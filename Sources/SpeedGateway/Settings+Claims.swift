import GatewayBase
import GatewayServer

extension Settings {
  /// Who had what first, as the store knows it, or why it is left out.
  func claims() async -> Result<StoredClaims, StoredClaims.Unknown> {
    do {
      return .success(try await StoredClaims(try store(), now: SystemClock().now))
    } catch let unknown as StoredClaims.Unknown {
      return .failure(unknown)
    } catch {
      return .failure(StoredClaims.Unknown("\(error)"))
    }
  }
}

extension StoredClaims.Unknown {
  /// A line for people.
  var note: String { "who had a domain first is left out, as the store can't tell: \(description)\n" }
}
