import GatewayBase

/// One server of a backend: where it is.
package enum BackendServer: Sendable, Hashable, CustomStringConvertible {
  /// `host` is a canonical name, or the canonical text of an IP address (IPv6 without brackets).
  case network(isTLS: Bool, host: String, port: UInt16)
  /// A Unix socket, by a path that the process can open.
  case unix(path: String)

  package var description: String {
    switch self {
    case .network(let isTLS, let host, let port):
      "\(isTLS ? "https" : "http")://\(host.holds(":") ? "[\(host)]" : host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  package var isTLS: Bool { if case .network(true, _, _) = self { true } else { false } }

  /// Bytes of a socket's path: the kernel's form (`sun_path`, unix(7)) has room for no more.
  static let unixPathLimit = 107

  /// - Parameter resolve: makes of a path one that the process can open.
  /// - Throws: what is wrong with `text`.
  static func parse(_ text: String, resolve: (String) -> String = { $0 }) throws(ValueFault) -> BackendServer {
    if text.hasPrefix("unix:") { return .unix(path: try socketPath(String(text.dropFirst(5)), resolve)) }
    let url = try ServiceURL.configured(text, [.http, .https])
    guard url.path.isEmpty else {
      throw ValueFault("a backend's URL has no path", hint: "write \(url.origin); requests keep their own path")
    }
    if case .address(let address) = url.host, address.isLinkLocal {
      throw ValueFault(
        "a backend on a link-local address", hint: "169.254.0.0/16 and fe80::/10 are where clouds hand out credentials")
    }
    return .network(isTLS: url.scheme == .https, host: url.host.description, port: url.port)
  }

  private static func socketPath(_ path: String, _ resolve: (String) -> String) throws(ValueFault) -> String {
    guard !path.isEmpty, !path.hasPrefix("//"), !path.hasSuffix("/"), path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw ValueFault("this is not the path of a Unix socket", hint: "write unix:/run/app.sock") }
    let path = resolve(path)
    guard path.utf8.count <= unixPathLimit else {
      throw ValueFault(
        "the path of the Unix socket has \(path.utf8.count) bytes", hint: "the system takes \(unixPathLimit) at most")
    }
    return path
  }
}

extension ValueType where Value == BackendServer {
  static var backendServer: ValueType {
    let form = "a URL such as http://127.0.0.1:9001, or unix:/run/app.sock"
    return ValueType(shape: .text(form: form, pattern: TextPattern.backendServer)) { node, diagnostics in
      let file = diagnostics.file
      let text = ValueType.text(form) { text throws(ValueFault) in
        try BackendServer.parse(text) { FilePath.resolve($0, besides: file) }
      }
      return text.read(node, diagnostics)
    }
  }
}
