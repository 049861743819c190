import GatewayBase
import Glibc

/// Finds the addresses of a host name. `getaddrinfo` blocks, so it runs on a pool.
package struct NameResolver: Sendable {
  private let pool: BlockingPool

  package init(pool: BlockingPool) { self.pool = pool }

  /// The addresses of `name`, in the system's order of preference.
  ///
  /// - Throws: `SystemError` where there is none, `BlockingPool.Failure` where the pool is full.
  package func addresses(of name: String, port: UInt16) async throws -> [SocketAddress] {
    try await pool.run { try Self.resolve(name, port: port) }
  }

  /// The same, on the calling thread.
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
