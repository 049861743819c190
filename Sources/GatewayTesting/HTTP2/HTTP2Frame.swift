/// A frame of HTTP/2 (RFC 9113 section 4.1), as it stands on the wire or made by hand: nothing is checked.
package struct HTTP2Frame: Sendable, Equatable {
  package enum Kind {
    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let priority: UInt8 = 2
    package static let reset: UInt8 = 3
    package static let settings: UInt8 = 4
    package static let ping: UInt8 = 6
    package static let goAway: UInt8 = 7
    package static let windowUpdate: UInt8 = 8
    package static let continuation: UInt8 = 9
  }

  package static let endStream: UInt8 = 0x1
  package static let endHeaders: UInt8 = 0x4
  package static let padded: UInt8 = 0x8
  package static let priorityFlag: UInt8 = 0x20
  /// Of SETTINGS and PING.
  package static let acknowledgement: UInt8 = 0x1

  package var type: UInt8
  package var flags: UInt8
  package var stream: Int32
  package var payload: [UInt8]

  package init(_ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
    self.type = type
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  package var bytes: [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
      + Self.number(UInt32(bitPattern: stream)) + payload
  }

  package func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// The number in the four bytes of the payload from `start`.
  package func number(at start: Int) -> UInt32 { payload.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

  /// Takes the first whole frame off the front of `bytes`; nil where there is none yet.
  package static func take(from bytes: inout [UInt8]) -> HTTP2Frame? {
    guard bytes.count >= 9 else { return nil }
    let count = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    guard bytes.count >= 9 + count else { return nil }
    let stream = bytes[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let frame = HTTP2Frame(bytes[3], flags: bytes[4], stream: Int32(stream), Array(bytes[9..<(9 + count)]))
    bytes.removeFirst(9 + count)
    return frame
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }
}

// The frames of each kind.
extension HTTP2Frame {
  /// What a client's bytes begin with (RFC 9113 section 3.4); SETTINGS follow.
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  package static func data(_ stream: Int32, _ bytes: [UInt8], ends: Bool = false) -> HTTP2Frame {
    HTTP2Frame(Kind.data, flags: ends ? endStream : 0, stream: stream, bytes)
  }

  package static func headers(_ stream: Int32, _ fields: [(name: String, value: String)], ends: Bool) -> HTTP2Frame {
    let flags = endHeaders | (ends ? endStream : 0)
    return HTTP2Frame(Kind.headers, flags: flags, stream: stream, HTTP2FieldList.encode(fields))
  }

  package static func continuation(_ stream: Int32, _ block: [UInt8], ends: Bool) -> HTTP2Frame {
    HTTP2Frame(Kind.continuation, flags: ends ? endHeaders : 0, stream: stream, block)
  }

  package static func priority(_ stream: Int32) -> HTTP2Frame {
    HTTP2Frame(Kind.priority, stream: stream, [0, 0, 0, 0, 16])
  }

  package static func reset(_ stream: Int32, _ code: UInt32) -> HTTP2Frame {
    HTTP2Frame(Kind.reset, stream: stream, number(code))
  }

  package static func settings(_ entries: [(id: UInt16, value: UInt32)] = []) -> HTTP2Frame {
    HTTP2Frame(
      Kind.settings, entries.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 0xFF)] + number($0.value) })
  }

  package static let settingsAcknowledged = HTTP2Frame(Kind.settings, flags: acknowledgement)

  package static func ping(_ payload: [UInt8] = Array(repeating: 0, count: 8)) -> HTTP2Frame {
    HTTP2Frame(Kind.ping, payload)
  }

  package static func goAway(lastStream: Int32, _ code: UInt32) -> HTTP2Frame {
    HTTP2Frame(Kind.goAway, number(UInt32(bitPattern: lastStream)) + number(code))
  }

  package static func windowUpdate(_ stream: Int32, _ count: UInt32) -> HTTP2Frame {
    HTTP2Frame(Kind.windowUpdate, stream: stream, number(count))
  }
}

/// Codes of errors that tests look for (RFC 9113 section 7).
package enum HTTP2Code {
  package static let noError: UInt32 = 0x0
  package static let protocolError: UInt32 = 0x1
  package static let internalError: UInt32 = 0x2
  package static let flowControl: UInt32 = 0x3
  package static let refused: UInt32 = 0x7
  package static let cancel: UInt32 = 0x8
  package static let compression: UInt32 = 0x9
  package static let calm: UInt32 = 0xb
}
