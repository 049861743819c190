import Glibc

/// An IP address and a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  package enum Host: Sendable, Hashable {
    /// Four bytes in network order, as a number of the host.
    case v4(UInt32)
    /// Sixteen bytes in network order, as two numbers of the host.
    case v6(UInt64, UInt64)
  }

  package let host: Host
  package let port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = Self.unmapped(host)
    self.port = port
  }

  /// - Parameter bytes: four or sixteen, in network order.
  package init(bytes: [UInt8], port: UInt16) {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    precondition(bytes.count == 4 || bytes.count == 16)
    let host: Host =
      bytes.count == 4
      ? .v4(UInt32(truncatingIfNeeded: number(bytes[...]))) : .v6(number(bytes.prefix(8)), number(bytes.suffix(8)))
    self.init(host: host, port: port)
  }

  /// Reads a literal IPv4 or IPv6 address, without brackets.
  package init?(literal text: String, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if unsafe inet_pton(AF_INET, text, &v4) == 1 {
      self.init(host: .v4(UInt32(bigEndian: v4.s_addr)), port: port)
    } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(host: Self.host(of: v6), port: port)
    } else {
      return nil
    }
  }

  /// 127.0.0.0/8 and ::1.
  package var isLoopback: Bool {
    switch host {
    case .v4(let address): address >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }

  /// The address without its port, IPv6 without brackets.
  package var hostText: String {
    switch host {
    case .v4(let address):
      return "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
    case .v6:
      var address = in6()
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "::" }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  package var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }

  /// `::ffff:a.b.c.d` is the IPv4 address that it carries: rules and limits must see one form.
  private static func unmapped(_ host: Host) -> Host {
    if case .v6(0, let low) = host, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
    return host
  }

  private static func host(of address: in6_addr) -> Host {
    unsafe withUnsafeBytes(of: address) { bytes in
      .v6(
        UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  private func in6() -> in6_addr {
    guard case .v6(let high, let low) = host else { return in6_addr() }
    var address = in6_addr()
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }
}

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
    case .v6:
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = port.bigEndian
      form.sin6_addr = in6()
      return unsafe Self.with(&form, body)
    }
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
      self.init(host: Self.host(of: form.sin6_addr), port: UInt16(bigEndian: form.sin6_port))
    default:
      return nil
    }
  }
}
