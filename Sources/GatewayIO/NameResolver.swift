import GatewayBase
import Glibc

/// Finds the addresses of host names. `getaddrinfo` blocks, for many seconds where no name server answers, so it
/// runs on threads of its own: one name that hangs must not hold up other work.
package struct NameResolver: Sendable {
  /// Finds the addresses of a name and port, and may block; empty where there are none.
  package typealias LookUp = @Sendable (String, UInt16) -> [SocketAddress]

  private let pool: BlockingPool
  private let lookUp: LookUp

  /// - Parameter lookUp: the system's resolver, unless a test says otherwise.
  package init(
    threads: Int = Limits.resolverThreads,
    lookUp: @escaping LookUp = { (try? NameResolver.resolve($0, port: $1)) ?? [] }
  ) {
    pool = BlockingPool(name: "names", threads: threads)
    self.lookUp = lookUp
  }

  /// Calls `done` with the addresses of `name`, in order of preference, on a thread of the resolver.
  ///
  /// - Throws: where too many look-ups wait already; then `done` is not called.
  package func find(
    _ name: String, port: UInt16, _ done: @escaping @Sendable ([SocketAddress]) -> Void
  ) throws(BlockingPool.Failure) {
    try pool.submit { [lookUp] in done(lookUp(name, port)) }
  }

  /// The system's addresses of `name`, in its order of preference. Blocks.
  ///
  /// - Throws: `SystemError` where there is none.
  package static func resolve(_ name: String, port: UInt16) throws(SystemError) -> [SocketAddress] {
    if let literal = SocketAddress(literal: name, port: port) { return [literal] }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(name, nil, &hints, &list)
    guard result == 0 else { throw SystemError(call: "getaddrinfo", number: result == EAI_SYSTEM ? errno : ENOENT) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe SocketAddress(entry.pointee.ai_addr, port: port), !addresses.contains(address) {
        addresses.append(address)
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }
}

extension SocketAddress {
  fileprivate init?(_ pointer: UnsafeMutablePointer<sockaddr>?, port: UInt16) {
    guard let pointer = unsafe pointer else { return nil }
    var storage = sockaddr_storage()
    let size =
      unsafe Int32(pointer.pointee.sa_family) == AF_INET
      ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: size))
    }
    guard let address = SocketAddress(storage: storage) else { return nil }
    self.init(host: address.host, port: port)
  }
}
