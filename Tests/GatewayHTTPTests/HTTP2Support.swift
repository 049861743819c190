import GatewayBase
import GatewayTesting

@testable import GatewayHTTP

/// What a machine told, as a test sees it.
enum HTTP2Event: Equatable {
  case request(Int32, String, ends: Bool)
  case refused(Int32, UInt16, ends: Bool)
  case response(Int32, String, ends: Bool)
  case data(Int32, String)
  case trailers(Int32, String)
  case ended(Int32)
  case closed(Int32, UInt32)
}

/// An owner that writes down what it hears and sends bodies that a test gives it.
final class RecordingOwner: HTTP2Owner {
  struct Body {
    var bytes: [UInt8]
    var isWhole = true
    var trailers: String?
  }

  unowned var machine: HTTP2Machine!
  var events: [HTTP2Event] = []
  var bodies: [HTTP2StreamID: Body] = [:]
  var creditsAtOnce = true
  var dataCount = 0
  var keepsData = true
  var onRequest: ((HTTP2StreamID) -> Void)?
  var onRefusal: ((HTTP2StreamID) -> Void)?
  /// What was told of the last head that was refused.
  var refusedHead = ""

  func requestBegan(_ stream: HTTP2StreamID, head: borrowing Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    events.append(.request(stream.rawValue, string(head), ends: endsStream))
    onRequest?(stream)
  }

  func requestRefused(
    _ stream: HTTP2StreamID, _ refusal: Refusal, head: borrowing Span<UInt8>, endsStream: Bool
  ) {
    refusedHead = string(head)
    events.append(.refused(stream.rawValue, refusal.status, ends: endsStream))
    onRefusal?(stream)
  }

  func responseHeadCame(_ stream: HTTP2StreamID, head: borrowing Span<UInt8>, endsStream: Bool, hasLength: Bool) {
    events.append(.response(stream.rawValue, string(head), ends: endsStream))
  }

  func dataCame(_ stream: HTTP2StreamID, _ bytes: borrowing Span<UInt8>) {
    dataCount += bytes.count
    if keepsData { events.append(.data(stream.rawValue, string(bytes))) }
    if creditsAtOnce { machine.credit(stream, bytes.count) }
  }

  func trailersCame(_ stream: HTTP2StreamID, fields: borrowing Span<UInt8>) {
    events.append(.trailers(stream.rawValue, string(fields)))
  }

  func streamEnded(_ stream: HTTP2StreamID) { events.append(.ended(stream.rawValue)) }

  func streamClosed(_ stream: HTTP2StreamID, error: HTTP2ErrorCode) {
    events.append(.closed(stream.rawValue, error.rawValue))
  }

  func fill(_ stream: HTTP2StreamID, into out: inout HTTP2Sink) -> HTTP2Fill {
    guard var body = bodies[stream] else { return .more }
    let taken = out.append(body.bytes.span)
    body.bytes.removeFirst(taken)
    bodies[stream] = body
    guard body.bytes.isEmpty, body.isWhole else { return .more }
    guard let trailers = body.trailers else { return .end }
    machine.submitTrailers(stream, fields: Array(trailers.utf8).span)
    return .endWithTrailers
  }

  private func string(_ bytes: borrowing Span<UInt8>) -> String {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    return String(decoding: copy, as: UTF8.self)
  }
}

/// A machine with its owner.
struct HTTP2Side {
  let owner: RecordingOwner
  let machine: HTTP2Machine
  let isIngress: Bool

  init(ingress maxHeader: Int = Limits.requestHead) { self.init(.ingress(HTTP2Limits(maxHeader: maxHeader)), true) }

  static func egress() -> HTTP2Side { HTTP2Side(.egress(HTTP2Limits(maxHeader: Limits.responseHead)), false) }

  private init(_ role: HTTP2Machine.Role, _ isIngress: Bool) {
    owner = RecordingOwner()
    machine = HTTP2Machine(role, owner: owner, buffers: HTTP2Buffers())
    owner.machine = machine
    self.isIngress = isIngress
  }

  /// Everything that waits to be sent, taken in runs of `room` bytes.
  func output(room: Int = 65_536) -> [UInt8] {
    var all: [UInt8] = []
    var rounds = 0
    repeat {
      rounds += 1
      var more = false
      let part = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        var out = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        more = machine.takeOutput(into: &out)
        count = unsafe out.finalize(for: buffer)
      }
      all += part
      if !more { break }
    } while rounds < 10_000
    return all
  }

  @discardableResult
  func receive(_ bytes: [UInt8], now: UInt64 = 0) -> HTTP2Verdict { machine.receive(bytes.span, now: now) }

  /// Receives `bytes` in runs of `step`.
  func receive(_ bytes: [UInt8], step: Int) {
    for start in stride(from: 0, to: bytes.count, by: step) { receive(Array(bytes[start...].prefix(step))) }
  }

  /// What was told since the last call.
  func events() -> [HTTP2Event] {
    defer { owner.events = [] }
    return owner.events
  }

  func respond(_ stream: Int32, _ head: String, endsStream: Bool = true) {
    machine.submitResponse(HTTP2StreamID(stream), head: Array(head.utf8).span, endsStream: endsStream)
  }

  func request(_ head: String, trailers: Bool = false, endsStream: Bool = true, tag: UInt64 = 0) -> Int32? {
    machine.submitRequest(
      head: Array(head.utf8).span, scheme: .https, sendsTrailers: trailers, endsStream: endsStream, tag: tag)?.rawValue
  }
}

/// An egress machine that speaks with an ingress machine.
struct HTTP2Pair {
  let client = HTTP2Side.egress()
  let gateway: HTTP2Side

  init(maxHeader: Int = Limits.requestHead) {
    gateway = HTTP2Side(ingress: maxHeader)
    exchange()
  }

  /// Carries bytes both ways until none are left, `step` at a time.
  func exchange(step: Int = 65_536, room: Int = 65_536) {
    for _ in 0..<10_000 {
      let up = client.output(room: room)
      carry(up, step) { gateway.receive($0) }
      let down = gateway.output(room: room)
      carry(down, step) { client.receive($0) }
      if up.isEmpty, down.isEmpty { return }
    }
  }

  private func carry(_ bytes: [UInt8], _ step: Int, _ deliver: ([UInt8]) -> HTTP2Verdict) {
    var rest = bytes[...]
    while !rest.isEmpty {
      _ = deliver(Array(rest.prefix(step)))
      rest = rest.dropFirst(step)
    }
  }
}

/// Frames as the bytes that a machine receives.
enum RawFrame {
  static let preface = HTTP2Frame.preface + settings()
  static let settingsAck = HTTP2Frame.settingsAcknowledged.bytes
  static let ping = HTTP2Frame.ping().bytes

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> [UInt8] {
    HTTP2Frame.settings(entries.map { (id: $0.0, value: $0.1) }).bytes
  }
  static func data(_ stream: Int32, _ text: String, ends: Bool = false) -> [UInt8] {
    HTTP2Frame.data(stream, Array(text.utf8), ends: ends).bytes
  }
  static func headers(_ stream: Int32, _ fields: [(String, String)], ends: Bool = true) -> [UInt8] {
    HTTP2Frame.headers(stream, fields.map { (name: $0.0, value: $0.1) }, ends: ends).bytes
  }
  static func continuation(_ stream: Int32, _ block: [UInt8], ends: Bool = false) -> [UInt8] {
    HTTP2Frame.continuation(stream, block, ends: ends).bytes
  }
  /// HEADERS that CONTINUATION may follow.
  static func begunHeaders(_ stream: Int32, _ block: [UInt8], endsList: Bool = false) -> [UInt8] {
    let flags = HTTP2Frame.endStream | (endsList ? HTTP2Frame.endHeaders : 0)
    return HTTP2Frame(HTTP2Frame.Kind.headers, flags: flags, stream: stream, block).bytes
  }
  static func priority(_ stream: Int32) -> [UInt8] { HTTP2Frame.priority(stream).bytes }
  static func reset(_ stream: Int32, _ code: UInt32 = HTTP2Code.cancel) -> [UInt8] {
    HTTP2Frame.reset(stream, code).bytes
  }
  static func goAway(last: Int32) -> [UInt8] { HTTP2Frame.goAway(lastStream: last, HTTP2Code.noError).bytes }
  static func windowUpdate(_ stream: Int32, _ count: UInt32) -> [UInt8] {
    HTTP2Frame.windowUpdate(stream, count).bytes
  }

  /// A request of method GET for `/` with fields besides.
  static func get(_ stream: Int32, _ fields: [(String, String)] = [], ends: Bool = true) -> [UInt8] {
    headers(stream, pseudo() + fields, ends: ends)
  }

  static func pseudo(method: String = "GET", path: String = "/", authority: String = "a") -> [(String, String)] {
    [(":method", method), (":scheme", "https"), (":path", path), (":authority", authority)]
  }

  static func block(_ fields: [(String, String)]) -> [UInt8] {
    HTTP2FieldList.encode(fields.map { (name: $0.0, value: $0.1) })
  }

  static func all(_ bytes: [UInt8]) -> [HTTP2Frame] {
    var rest = bytes
    var frames: [HTTP2Frame] = []
    while let frame = HTTP2Frame.take(from: &rest) { frames.append(frame) }
    return frames
  }
}

extension HTTP2Side {
  /// An ingress machine that has got a client's first bytes, its own being taken.
  static func greeted(maxHeader: Int = Limits.requestHead) -> HTTP2Side {
    let side = HTTP2Side(ingress: maxHeader)
    side.receive(RawFrame.preface + RawFrame.settingsAck)
    _ = side.output()
    return side
  }

  /// Codes of the streams that are reset in what waits to be sent.
  func resets() -> [Int32: UInt32] {
    var found: [Int32: UInt32] = [:]
    for frame in RawFrame.all(output()) where frame.type == 3 { found[frame.stream] = frame.number(at: 0) }
    return found
  }

  /// The code of the GOAWAY in what waits to be sent.
  func goAwayCode() -> UInt32? { RawFrame.all(output()).last { $0.type == 7 }?.number(at: 4) }
}
