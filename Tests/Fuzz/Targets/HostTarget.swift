import GatewayBase
import Glibc

/// A received host, and the text of an address.
func fuzzHost(_ bytes: [UInt8]) throws(BrokenProperty) {
  try checkHost(bytes)
  try checkAddress(bytes)
}

/// That a host is its own canonical form, and is made of what names and addresses are made of.
func checkHost(_ received: [UInt8]) throws(BrokenProperty) {
  guard let (host, port) = canonical(received) else { return }
  try expect((1...253).contains(host.count), "a host is of 1 to 253 bytes")
  if host[0] == UInt8(ascii: "[") {
    let inner = host.dropFirst().dropLast().text
    try expect(IPAddress(inner)?.bracketed == host.text, "a bracketed host is a canonical address")
  } else {
    let labels = host.text.split(separator: ".", omittingEmptySubsequences: false)
    for label in labels {
      try expect((1...63).contains(label.utf8.count), "a label is of 1 to 63 bytes")
      try expect(
        label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") },
        "a label is of small letters, digits and dashes")
      try expect(label.first != "-" && label.last != "-", "a label neither begins nor ends with a dash")
    }
  }
  try expect(canonical(host).map { $0.host == host && $0.port == nil } == true, "a host is its own canonical form")
  try expect(HostName(host.text)?.description == host.text, "a name is what was canonical")
  let written = host + Array(":\(port ?? 8080)".utf8)
  try expect(
    canonical(written).map { $0.host == host && $0.port == port ?? 8080 } == true, "a port does not change a host")
  try expect(port != 0, "no port is 0")
}

private func canonical(_ received: [UInt8]) -> (host: [UInt8], port: UInt16?)? {
  var buffer = HostBuffer()
  guard HostName.canonicalize(received.span, into: &buffer) else { return nil }
  return (Array<UInt8>(buffer.bytes), buffer.port)
}

/// That an address is read as the system reads it, and is its own canonical text.
private func checkAddress(_ text: [UInt8]) throws(BrokenProperty) {
  let address = IPAddress(text.span)
  try expect(address == systemAddress(text), "an address is what the system takes it for")
  if let address {
    try expect(IPAddress(address.description) == address, "an address is the same when it is written anew")
    try expect(address.unmapped.unmapped == address.unmapped, "an unmapped address is unmapped")
  }
}

private func systemAddress(_ text: [UInt8]) -> IPAddress? {
  guard !text.contains(0), text.count < 64 else { return nil }
  let string = text.map { CChar(bitPattern: $0) } + [0]
  var bytes: [UInt8] = Array(repeating: 0, count: 16)
  if unsafe inet_pton(AF_INET, string, &bytes) == 1 {
    return .v4(bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) })
  }
  guard unsafe inet_pton(AF_INET6, string, &bytes) == 1 else { return nil }
  return .v6(
    IPv6Number(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }))
}
