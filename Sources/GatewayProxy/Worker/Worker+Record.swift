import GatewayBase
import GatewayHTTP
import GatewayIO

// What is counted and logged of an exchange, where it ends.
extension Worker {
  /// Counts the exchange, and writes its line to the access log where it is to have one.
  func record(_ exchange: Handle) {
    let note = exchanges[exchange].note
    defer { if note >= 0 { notes.give(note) } }
    if exchanges[exchange].isTunnel { counters.webSocketsClosed.increment() }
    guard let label = exchanges[exchange].label else { return }
    let elapsed = loop.clock.microseconds &- exchanges[exchange].startedAt
    let (status, apps) = (exchanges[exchange].status, counters.apps)
    apps.add(1, .answered(status), label)
    apps.add(exchanges[exchange].bytesIn, .received, label)
    apps.add(exchanges[exchange].bytesOut, .sent, label)
    apps.add(microseconds: elapsed, .duration, label)
    guard let access = context.access else { return }
    ended.value &+= 1
    if access.takes(status: status, turn: ended.value) { log(exchange, to: access.lines, elapsed: elapsed) }
  }

  /// Takes in what the access log will say of the target, while the head is at hand.
  ///
  /// The path is the canonical one, without the query: values of a query may be secrets (GW-109).
  func noteTarget(_ exchange: Handle, _ request: RequestHead, _ head: Span<UInt8>) {
    guard context.access != nil else { return }
    if exchanges[exchange].note < 0 {
      exchanges[exchange].note = notes.take()
    } else {
      notes.clear(exchanges[exchange].note)
    }
    var text = blocks.take()
    text.append(",\"method\":\"")
    if request.method == .other {
      text.append(logged: head.extracting(request.methodRange), limit: Limits.loggedName)
    } else {
      text.append(request.method.name)
    }
    text.append("\",\"path\":\"")
    text.append(logged: target.value, limit: Limits.loggedPath)
    text.append("\"")
    // Without one of the client the trace has the request's id.
    if let trace = TraceContext.traceID(head, fields.value) {
      text.append(",\"trace\":\"")
      text.append(head.extracting(trace))
      text.append("\"")
    }
    notes.append(text.bytes, to: exchanges[exchange].note)
    blocks.give(text)
  }

  /// Takes in whose token it was.
  func noteUser(_ exchange: Handle, _ token: RememberedToken) {
    guard exchanges[exchange].note >= 0 else { return }
    var text = blocks.take()
    text.append(",\"user\":\"")
    text.append(logged: token.userID, limit: Limits.loggedName)
    text.append("\"")
    notes.append(text.bytes, to: exchanges[exchange].note)
    blocks.give(text)
  }

  private func log(_ exchange: Handle, to lines: LineLog, elapsed: UInt64) {
    var line = blocks.take()
    line.append("{\"time\":\"")
    timeText.value.append(loop.clock.unix, to: &line)
    line.append("\",\"message\":\"request\",\"requestId\":\"")
    exchanges[exchange].id.write(to: &line)
    line.append("\",\"client\":\"")
    line.append(exchanges[exchange].address)
    line.append("\",\"protocol\":\"")
    line.append(protocolName(of: exchange))
    line.append("\"")
    let note = exchanges[exchange].note
    if note >= 0 { notes.append(note, to: &line) }
    writeRoute(exchange, to: &line)
    writeOutcome(exchange, elapsed, to: &line)
    writeUpstream(exchange, to: &line)
    line.append("}\n")
    lines.append(line.bytes, of: mailbox.index)
    blocks.give(line)
  }

  private func protocolName(of exchange: Handle) -> StaticString {
    if exchanges[exchange].isTunnel { return "websocket" }
    if clients[exchanges[exchange].client].stream != nil { return "HTTP/2" }
    return exchanges[exchange].isHTTP10 ? "HTTP/1.0" : "HTTP/1.1"
  }

  private func writeRoute(_ exchange: Handle, to line: inout ByteBlock) {
    guard let tenant = exchanges[exchange].tenant else { return }
    line.append(tenant.logged)
    let index = exchanges[exchange].route
    if index >= 0 { line.append(tenant.routes.routes[index].logged) }
  }

  private func writeOutcome(_ exchange: Handle, _ elapsed: UInt64, to line: inout ByteBlock) {
    line.append(",\"status\":")
    line.append(decimal: UInt64(exchanges[exchange].status))
    if exchanges[exchange].refusal != .none {
      line.append(",\"code\":\"")
      line.append(logged: exchanges[exchange].refusal.text, limit: Limits.loggedName)
      line.append("\"")
    }
    if exchanges[exchange].isAborted { line.append(",\"aborted\":true") }
    line.append(",\"bytesIn\":")
    line.append(decimal: exchanges[exchange].bytesIn)
    line.append(",\"bytesOut\":")
    line.append(decimal: exchanges[exchange].bytesOut)
    line.append(",\"durationMs\":")
    line.append(milliseconds: elapsed)
  }

  private func writeUpstream(_ exchange: Handle, to line: inout ByteBlock) {
    guard let backend = exchanges[exchange].backend, exchanges[exchange].attemptAt > 0 else { return }
    line.append(backend.logged)
    let index = exchanges[exchange].attempt.server
    if index < backend.servers.count { line.append(backend.servers[index].place.logged) }
    if exchanges[exchange].firstByteAfter > 0 {
      line.append(",\"upstreamMs\":")
      line.append(milliseconds: exchanges[exchange].firstByteAfter)
    }
    guard exchanges[exchange].retries > 0 else { return }
    line.append(",\"retries\":")
    line.append(decimal: UInt64(exchanges[exchange].retries))
  }
}

extension AppCells.Count {
  /// The count of an answer with this status; 0 for none.
  static func answered(_ status: UInt16) -> AppCells.Count {
    switch status {
    case 0: .unanswered
    case ..<200: .answered1xx
    case ..<300: .answered2xx
    case ..<400: .answered3xx
    case ..<500: .answered4xx
    default: .answered5xx
    }
  }
}
