import GatewayBase
import GatewayHTTP

/// The first bytes of a connection behind a proxy.
func fuzzProxyAnnouncement(_ bytes: [UInt8]) throws(BrokenProperty) {
  let verdict = ProxyAnnouncement.read(bytes.span)
  var turn: Int?
  for end in 0...min(bytes.count, 600) {
    let early = ProxyAnnouncement.read(bytes.span.extracting(0..<end))
    if early != .incomplete { turn = turn ?? end }
    if let turn, end >= turn {
      try expect(early == verdict, "a verdict stands, whatever comes later")
    }
  }
  switch verdict {
  case .incomplete: try expect(bytes.count < Limits.proxyAnnouncement, "nobody waits for more than the limit")
  case .malformed: break
  case .complete(let count, let source):
    try expect(count <= min(bytes.count, Limits.proxyAnnouncement), "an announcement is of the bytes that came")
    if count <= 600 { try expect(turn == count, "an announcement is complete with its last byte") }
    guard let source else { return }
    try checkSource(source, Array(bytes[..<count]))
  }
}

private func checkSource(_ source: SocketAddress, _ bytes: [UInt8]) throws(BrokenProperty) {
  try expect(source.host == source.host.unmapped, "a source is unmapped")
  let family = if case .v4 = source.host { "TCP4 \(source.host) 192.0.2.1" } else { "TCP6 \(source.host) ::1" }
  let written = Array("PROXY \(family) \(source.port) 443\r\n".utf8)
  try expect(
    ProxyAnnouncement.read(written.span) == .complete(count: written.count, source: source),
    "a source is the same when it is announced anew")
  guard bytes[0] == UInt8(ascii: "P") else { return }
  let words = bytes.dropLast(2).text.split(separator: " ", omittingEmptySubsequences: false)
  try expect(words.count == 6 && bytes.count <= 107, "a line has six words")
  try expect(IPAddress(words[2])?.unmapped == source.host && UInt16(words[4]) == source.port, "a source is as written")
}
