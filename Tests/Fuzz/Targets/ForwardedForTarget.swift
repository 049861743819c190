import GatewayBase
import GatewayHTTP

/// Lines of `X-Forwarded-For`; which addresses are trusted is a property of their text.
func fuzzForwardedFor(_ bytes: [UInt8]) throws(BrokenProperty) {
  let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(8)
  let head =
    Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
    + lines.flatMap { Array("X-Forwarded-For: ".utf8) + $0 + crlf } + crlf
  var table = FieldTable()
  guard (try? RequestParser.parse(head.span, into: &table)) != nil else { return }
  let fields = try [SeenField](table, head)
  let peer = IPAddress.v4(0x7F00_0001)
  for isTrusted in [{ (_: IPAddress) in true }, { $0.description.utf8.count.isMultiple(of: 2) }, { _ in false }] {
    let client = ForwardedFor.client(head.span, table, peer: peer, isTrusted: isTrusted)
    let entries = fields.values("x-forwarded-for").flatMap {
      $0.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { Array($0.trimmed) }
    }
    try expect(client == walked(entries, peer, isTrusted), "the client is who the plainest walk finds")
    try expect(client == client.unmapped, "a client's address is unmapped")
  }
}

private func walked(_ entries: [[UInt8]], _ peer: IPAddress, _ isTrusted: (IPAddress) -> Bool) -> IPAddress {
  var last = peer
  for entry in entries.reversed() {
    guard let address = address(entry.text, entry) else { return last }
    guard isTrusted(address) else { return address }
    last = address
  }
  return last
}

/// `192.0.2.1`, `192.0.2.1:80`, `::1`, `[::1]` or `[::1]:80`.
private func address(_ text: String, _ bytes: [UInt8]) -> IPAddress? {
  guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
  if let plain = IPAddress(text) { return plain.unmapped }
  guard let colon = text.lastIndex(of: ":") else { return bracketed(text) }
  let port = text[text.index(after: colon)...].utf8
  guard (1...5).contains(port.count), Array(port).isDigits else { return bracketed(text) }
  let host = String(text[..<colon])
  if let address = IPAddress(host), case .v4 = address { return address }
  return bracketed(host)
}

private func bracketed(_ text: String) -> IPAddress? {
  guard text.hasPrefix("["), text.hasSuffix("]"), text.count > 2 else { return nil }
  guard let address = IPAddress(text.dropFirst().dropLast()), case .v6 = address else { return nil }
  return address.unmapped
}
