import GatewayBase
import GatewayIO
import GatewayProxy

/// Which of the sockets that others opened serve which listener of the configuration.
struct ListenerPlan {
  /// Sockets that are there already.
  struct Offer: Equatable {
    enum Origin: Equatable {
      /// A predecessor's listener.
      case predecessor(Listener.Name)
      /// The service manager's, under the name that its unit gives it.
      case manager(String)
    }

    let origin: Origin
    /// What they listen on.
    let address: SocketAddress
    var descriptors: [Int32]
  }

  /// By the position of the listener.
  private(set) var chosen: [Int: Offer] = [:]
  /// Of no use to any listener.
  private(set) var left: [Offer]

  /// Each rule is tried for all listeners before the next, weaker one.
  init(_ listeners: [Listener.Name], offers: [Offer]) {
    left = offers
    let rules: [(Listener.Name, Offer) -> Bool] = [
      { $1.origin == .predecessor($0) },
      { $0.address == $1.address },
      { $0.address.isServed(by: $1.address) },
      { $1.origin == .manager($0.role) },
    ]
    for rule in rules {
      for (position, name) in listeners.enumerated() where chosen[position] == nil {
        guard let index = left.firstIndex(where: { rule(name, $0) }) else { continue }
        chosen[position] = left.remove(at: index)
      }
    }
  }

  /// The sockets of a service manager: those of one address are one offer.
  static func offers(_ passed: [ActivatedSockets.Passed]) -> [Offer] {
    var offers: [Offer] = []
    for socket in passed {
      if let index = offers.firstIndex(where: { $0.address == socket.address }) {
        offers[index].descriptors.append(socket.descriptor)
      } else {
        offers.append(
          Offer(origin: .manager(socket.name), address: socket.address, descriptors: [socket.descriptor]))
      }
    }
    return offers
  }
}

extension SocketAddress {
  /// Whether a socket on `other` gets what is sent to this one: `ListenStream=8080` of a socket unit is `[::]:8080`, which
  /// serves IPv4 too.
  fileprivate func isServed(by other: SocketAddress) -> Bool {
    port != 0 && port == other.port && isUnspecified && other.isUnspecified
  }

  private var isUnspecified: Bool {
    switch host {
    case .v4(let number): number == 0
    case .v6(let number): number == IPv6Number(high: 0, low: 0)
    }
  }
}
