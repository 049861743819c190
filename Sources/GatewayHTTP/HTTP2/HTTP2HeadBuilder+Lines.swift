import GatewayBase

// Pseudo-fields, and the first line that is made of them.
extension HTTP2HeadBuilder {
  mutating func takePseudo(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    guard kind != .trailers else {
      fault = .malformed
      return
    }
    guard start == nil else { return refuse("Pseudo-fields come before all others.") }
    guard let pseudo = Pseudo(PackedText(name, 0..<name.count)), pseudo.isAllowed(in: kind),
      seen.insert(pseudo).inserted
    else { return refuse("A pseudo-field is unknown or repeated.") }
    switch pseudo {
    case .method: keepMethod(value)
    case .path: keepPath(value)
    case .authority: keepAuthority(value)
    case .status: readStatus(value)
    case .scheme:
      let scheme = PackedText(lowercasing: value, 0..<value.count)
      if !scheme.equals("https"), !scheme.equals("http") {
        refuse("The :scheme must be https or http.")
      }
    default: break
    }
  }

  private mutating func keepMethod(_ value: Span<UInt8>) {
    guard value.count > 0, value.count <= Limits.method, Self.isWord(value) else {
      return refuse("The :method must be a token.")
    }
    method = keep(value)
  }

  /// GW-3, GW-5: a blank or a line end in the path would end the target of the request line.
  private mutating func keepPath(_ value: Span<UInt8>) {
    guard value.count <= Limits.target else {
      fault = .targetTooLong
      return
    }
    guard value.count > 0, Self.isWord(value) else {
      return refuse("The :path must be a target without blanks and controls.")
    }
    path = keep(value)
  }

  private mutating func keepAuthority(_ value: Span<UInt8>) {
    guard value.count <= Limits.authority, Self.isWord(value) else {
      return refuse("The :authority is no host.")
    }
    authority = keep(value)
  }

  private mutating func readStatus(_ value: Span<UInt8>) {
    guard value.count == 3, let number = DeclaredFraming.length(value, 0..<3),
      (100...599).contains(number),
      number != 101
    else { return refuse("") }
    status = UInt16(number)
    statusText = keep(value)
  }

  private mutating func keep(_ value: Span<UInt8>) -> Range<Int> {
    let start = buffer.count
    if !buffer.append(value) { fault = .headerTooLarge }
    return start..<buffer.count
  }

  /// Writes the first line, once: all pseudo-fields are there.
  mutating func beginFields() {
    guard start == nil else { return }
    start = buffer.count
    switch kind {
    case .trailers: break
    case .request: beginRequest()
    case .response:
      guard seen.contains(.status) else { return refuse("") }
      append("HTTP/1.1 ")
      appendKept(statusText)
      append(" \r\n")
    }
  }

  private mutating func beginRequest() {
    guard seen.contains(.method) else { return refuse("The :method is missing.") }
    // A CONNECT has neither path nor scheme (RFC 9113 section 8.5). It is refused where others are judged.
    let isConnect = HTTPMethod.parse(buffer.bytes(method)) == .connect
    guard isConnect || seen.isSuperset(of: [.scheme, .path]) else {
      return refuse("The :path or :scheme is missing.")
    }
    guard isConnect || !seen.contains(.protocol) else {
      return refuse("A pseudo-field is unknown or repeated.")
    }
    appendKept(method)
    append(" ")
    if seen.contains(.path) { appendKept(path) } else { append("*") }
    append(" HTTP/1.1\r\n")
    guard seen.contains(.authority) else { return }
    append("Host: ")
    appendKept(authority)
    append("\r\n")
  }

  /// Takes a field behind what a request is refused for: where it names its host or its page, the refusal can be told
  /// to that page (`HeadGlimpse`).
  mutating func takeRefused(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    guard kind == .request, fault?.refusal != nil, FieldSection.valueEnd(value, from: 0) == value.count else { return }
    if start == nil {
      start = buffer.count
      if seen.contains(.authority) {
        append("host: ")
        appendKept(authority)
        append("\r\n")
      }
    }
    let name = PackedText(name, 0..<name.count)
    if name.equals(":authority") {
      if seen.insert(.authority).inserted { appendRefused("host: ", value) }
    } else if name.equals("host") {
      if !seen.contains(.authority) { appendRefused("host: ", value) }
    } else if name.equals("origin") {
      appendRefused("origin: ", value)
    }
  }

  private mutating func appendRefused(_ name: StaticString, _ value: Span<UInt8>) {
    guard buffer.room >= 16 + value.count else { return }
    _ = buffer.append(name) && buffer.append(value) && buffer.append("\r\n")
  }

  private mutating func appendKept(_ range: Range<Int>) {
    if !buffer.appendCopy(range) { fault = .headerTooLarge }
  }

  /// No blank and no control character.
  private static func isWord(_ value: Span<UInt8>) -> Bool {
    value.firstPosition(from: 0) { ByteWord.below(0x21, $0) | ByteWord.equal(0x7F, $0) }
      == value.count
  }
}

extension HTTP2HeadBuilder.Pseudo {
  init?(_ name: PackedText) {
    switch name.count {
    case 5 where name.equals(":path"): self = .path
    case 7 where name.equals(":method"): self = .method
    case 7 where name.equals(":scheme"): self = .scheme
    case 7 where name.equals(":status"): self = .status
    case 9 where name.equals(":protocol"): self = .protocol
    case 10 where name.equals(":authority"): self = .authority
    default: return nil
    }
  }

  func isAllowed(in kind: HTTP2HeadBuilder.Kind) -> Bool {
    (self == .status) == (kind == .response)
  }
}
