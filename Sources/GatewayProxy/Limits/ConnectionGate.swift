import GatewayBase
import Synchronization

/// Counts the client connections of the process, all of them and those of each address, for all loops together: what
/// the kernel gives one loop more, another has less.
///
/// A connection takes one atomic operation and one lock when it comes, and the same when it goes. There are no more
/// addresses in the tables than there are connections.
final class ConnectionGate: Sendable {
  private static let parts = 16

  private let limit: Int
  private let limitPerAddress: Int
  private let open = Atomic<Int>(0)
  private let openServices = Atomic<Int>(0)
  private let addresses: [Locked<[AddressBlock: Int]>]

  /// - Parameters:
  ///   - limit: connections of clients at once.
  ///   - perAddress: of those, from one address (see `AddressBlock`).
  init(limit: Int, perAddress: Int) {
    self.limit = limit
    limitPerAddress = perAddress
    addresses = (0..<Self.parts).map { _ in Locked([:]) }
  }

  /// Takes a connection in, or returns false where there are too many.
  ///
  /// - Parameter isService: to a listener of the gateway's own, which stays reachable when clients fill all else.
  func enter(isService: Bool) -> Bool {
    isService ? Self.raise(openServices, to: Limits.serviceConnections) : Self.raise(open, to: limit)
  }

  func leave(isService: Bool) {
    if isService {
      openServices.subtract(1, ordering: .relaxed)
    } else {
      open.subtract(1, ordering: .relaxed)
    }
  }

  /// Counts a connection for its address, or returns false where that has too many.
  func enter(_ address: IPAddress) -> Bool {
    let (block, limit) = (AddressBlock(address), limitPerAddress)
    return part(of: block).withLock { counts in
      let count = counts[block, default: 0]
      guard count < limit else { return false }
      counts[block] = count + 1
      return true
    }
  }

  func leave(_ address: IPAddress) {
    let block = AddressBlock(address)
    part(of: block).withLock { counts in
      guard let count = counts[block] else { return }
      counts[block] = count > 1 ? count - 1 : nil
    }
  }

  /// Addresses that have a connection.
  var addressCount: Int { addresses.reduce(0) { $0 + $1.withLock { $0.count } } }

  private func part(of block: AddressBlock) -> Locked<[AddressBlock: Int]> {
    addresses[Int(UInt(bitPattern: block.hashValue) % UInt(Self.parts))]
  }

  private static func raise(_ count: borrowing Atomic<Int>, to limit: Int) -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= limit { return true }
    count.subtract(1, ordering: .relaxed)
    return false
  }
}
