import GatewayBase
import GatewayHTTP
import GatewayIO

// Answers made here: refusals and those of services.
extension Worker {
  /// Answers with a refusal, or ends the exchange where an answer has begun already.
  func refuse(_ exchange: Handle, _ refusal: Refusal) {
    guard exchanges[exchange].status == 0 else { return abort(exchange) }
    let id = exchanges[exchange].id.text
    guard let call = exchanges[exchange].service else {
      return answer(exchange, .refusal(refusal, requestID: id))
    }
    var response = call.service.response(to: refusal, target: call.target, requestID: id)
    response.fields += call.service.fields(forOrigin: call.origin)
    answer(exchange, response)
  }

  func answer(_ exchange: Handle, _ response: ServiceResponse) {
    if !exchanges[exchange].upstream.isNone {
      close(upstream: exchanges[exchange].upstream)
      exchanges[exchange].upstream = .none
    }
    letBackendGo(exchange)
    if response.closesConnection || isDraining.value || !passOverBody(exchange) {
      exchanges[exchange].keepsConnection = false
    }
    exchanges[exchange].awaited = nil
    if let code = response.code, exchanges[exchange].label != nil {
      exchanges[exchange].refusal = RefusalCode(code)
      counters.count(exchanges[exchange].refusal)
    }
    exchanges[exchange].phase = .answering
    exchanges[exchange].status = response.status
    var out = exchanges[exchange].responseOut.take() ?? blocks.take()
    writeHead(of: response, exchange, to: &out)
    var body = exchanges[exchange].method == .head ? [] : response.body[...]
    if clients[exchanges[exchange].client].stream != nil {
      submit(head: &out, onStream: exchanges[exchange].client, endsStream: body.isEmpty)
      exchanges[exchange].answerHasBegun = true
    }
    fill(&out, from: &body)
    exchanges[exchange].responseOut = consume out
    exchanges[exchange].unsent = body
    continueAnswer(exchange)
  }

  /// Sends what is left of an answer, and ends the exchange when all is out.
  func continueAnswer(_ exchange: Handle) {
    while flushResponse(exchange) {
      if exchanges[exchange].unsent.isEmpty { return finish(exchange) }
      var out = blocks.take()
      var body = exchanges[exchange].unsent
      fill(&out, from: &body)
      exchanges[exchange].unsent = body
      exchanges[exchange].responseOut = consume out
    }
  }

  private func fill(_ out: inout ByteBlock, from body: inout ArraySlice<UInt8>) {
    let run = body.prefix(out.room)
    out.append(run.span)
    body = body.dropFirst(run.count)
  }

  private func writeHead(of response: ServiceResponse, _ exchange: Handle, to out: inout ByteBlock) {
    out.append("HTTP/1.1 ")
    out.append(decimal: UInt64(response.status))
    out.append(" ")
    out.append(ReasonPhrase.text(response.status))
    out.append("\r\n")
    for field in response.fields { out.append(Array("\(field.name): \(field.value)\r\n".utf8)) }
    if response.status != 204 && response.status != 304 {
      out.append("Content-Length: ")
      out.append(decimal: UInt64(response.body.count))
      out.append("\r\n")
    }
    out.append(Array("Date: \(HTTPDate.text(loop.clock.unix))\r\n".utf8))
    ResponseWriter.writeConnection(
      isHTTP10: exchanges[exchange].isHTTP10, keepsConnection: exchanges[exchange].keepsConnection, to: &out)
    out.append("X-Request-Id: ")
    exchanges[exchange].id.write(to: &out)
    out.append("\r\n")
    writeEdgeFields(exchange, to: &out)
    ResponseWriter.end(&out)
  }

  /// Consumes a request body that nobody wants, where all of it is here; false where more would have to be read.
  private func passOverBody(_ exchange: Handle) -> Bool {
    let client = exchanges[exchange].client
    if exchanges[exchange].headCount > 0 {
      clients[client].input?.consume(exchanges[exchange].headCount)
      exchanges[exchange].headCount = 0
    }
    guard var input = clients[client].input.take() else { return exchanges[exchange].requestBody.isComplete }
    var isWellFormed = true
    while isWellFormed, !exchanges[exchange].requestBody.isComplete, !input.isEmpty {
      switch exchanges[exchange].requestBody.next(input.bytes) {
      case .data(let skip, let count): input.consume(skip + count)
      case .needMore(let consumed), .complete(let consumed): input.consume(consumed)
      case .malformed: isWellFormed = false
      }
    }
    clients[client].input = keep(input)
    return isWellFormed && exchanges[exchange].requestBody.isComplete
  }
}
