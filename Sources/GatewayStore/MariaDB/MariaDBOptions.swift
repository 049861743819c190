import CMariaDB
import GatewayBase

/// What is set on a handle before it connects.
struct MariaDBOptions {
  private let timeLimit: UInt32
  private let tls: MariaDBAddress.TLS
  private let overTCP: Bool

  init(_ address: MariaDBAddress, timeLimit: Int) {
    self.timeLimit = UInt32(clamping: timeLimit)
    tls = address.tls
    if case .tcp = address.endpoint { overTCP = true } else { overTCP = false }
  }

  func apply(to handle: UnsafeMutablePointer<MYSQL>) {
    unsafe set(MYSQL_OPT_CONNECT_TIMEOUT, to: UInt32(Limits.storeWait), on: handle)
    unsafe set(MYSQL_OPT_READ_TIMEOUT, to: timeLimit, on: handle)
    unsafe set(MYSQL_OPT_WRITE_TIMEOUT, to: timeLimit, on: handle)
    // Without this the library takes a socket file for "localhost".
    let transport = overTCP ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET
    unsafe set(MYSQL_OPT_PROTOCOL, to: transport.rawValue, on: handle)
    // A false server could ask for any file of this machine otherwise.
    unsafe set(MYSQL_OPT_LOCAL_INFILE, to: UInt32(0), on: handle)
    unsafe mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
    guard case .required(let authorities) = tls else { return }
    unsafe set(MYSQL_OPT_SSL_ENFORCE, to: my_bool(1), on: handle)
    unsafe set(MYSQL_OPT_SSL_VERIFY_SERVER_CERT, to: my_bool(1), on: handle)
    unsafe mysql_options(handle, MYSQL_OPT_SSL_CA, authorities ?? "/etc/ssl/certs/ca-certificates.crt")
  }

  private func set<Value: BitwiseCopyable>(
    _ option: mysql_option, to value: Value, on handle: UnsafeMutablePointer<MYSQL>
  ) {
    _ = unsafe withUnsafePointer(to: value) { unsafe mysql_options(handle, option, $0) }
  }
}
