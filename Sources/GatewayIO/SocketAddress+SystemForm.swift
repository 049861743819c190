import GatewayBase
import Glibc

// The system's form, which does not leave this module.
extension SocketAddress {
  var family: Int32 {
    switch host {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  func withSystemForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch host {
    case .v4(let address):
      var form = sockaddr_in()
      form.sin_family = sa_family_t(AF_INET)
      form.sin_port = port.bigEndian
      form.sin_addr.s_addr = address.bigEndian
      return unsafe Self.with(&form, body)
    case .v6(let address):
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = port.bigEndian
      form.sin6_addr = Self.in6(address)
      return unsafe Self.with(&form, body)
    }
  }

  private static func number(of address: in6_addr) -> IPv6Number {
    unsafe withUnsafeBytes(of: address) { bytes in
      IPv6Number(
        high: UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  private static func in6(_ number: IPv6Number) -> in6_addr {
    var address = in6_addr()
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: number.high.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: number.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  private static func with<Form, Result>(
    _ form: inout Form, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &form) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Form>.size))
      }
    }
  }

  init?(storage: sockaddr_storage) {
    switch Int32(storage.ss_family) {
    case AF_INET:
      let form = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
      self.init(host: .v4(UInt32(bigEndian: form.sin_addr.s_addr)), port: UInt16(bigEndian: form.sin_port))
    case AF_INET6:
      let form = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
      self.init(host: .v6(Self.number(of: form.sin6_addr)), port: UInt16(bigEndian: form.sin6_port))
    default:
      return nil
    }
  }
}
