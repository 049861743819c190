import GatewayBase
import GatewayHTTP
import GatewayIO

// Requests that the gateway answers itself: the body is read whole, then a task on this loop makes the answer.
extension Worker {
  func serviceRequest(
    _ exchange: Handle, _ request: RequestHead, _ canonical: CanonicalTarget, _ head: Span<UInt8>
  ) -> ServiceRequest {
    var received: [ServiceField] = []
    for index in 0..<fields.value.count {
      let field = fields.value[index]
      received.append(
        ServiceField(
          String(copying: head.extracting(field.nameRange)), String(copying: head.extracting(field.valueRange))))
    }
    return ServiceRequest(
      method: request.method, methodText: String(copying: head.extracting(request.methodRange)),
      host: HostName(host.value).description, path: text(of: target.value),
      query: canonical.queryRange.map {
        String(copying: head.extracting($0.shifted(by: request.targetRange.lowerBound)))
      },
      fields: received, body: [], address: exchanges[exchange].address,
      requestID: exchanges[exchange].id.text, port: host.value.port, isSecure: isSecure(exchange, head))
  }

  private func text(of target: borrowing TargetBuffer) -> String { String(copying: target.path) }

  func collect(_ exchange: Handle, _ request: ServiceRequest) {
    if let length = exchanges[exchange].requestBody.remaining, length > UInt64(Limits.apiBody) {
      return refuse(exchange, .bodyTooLarge)
    }
    exchanges[exchange].phase = .collecting
    exchanges[exchange].service?.request = request
    if exchanges[exchange].mustSendContinue {
      sendContinue(exchange)
      guard exchanges.contains(exchange) else { return }
    }
    if exchanges[exchange].requestBody.isComplete { serve(exchange) }
  }

  /// Takes in what has arrived of the body; false where nothing can be done now.
  func collectBody(_ exchange: Handle) -> Bool {
    let client = exchanges[exchange].client
    guard receiveBody(client), var input = clients[client].input.take(), let service = exchanges[exchange].service
    else { return false }
    var refusal: Refusal?
    while refusal == nil, !input.isEmpty, !exchanges[exchange].requestBody.isComplete {
      switch exchanges[exchange].requestBody.next(input.bytes) {
      case .data(let skip, let count):
        if (service.request?.body.count ?? 0) + count > Limits.apiBody {
          refusal = .bodyTooLarge
        } else {
          service.request?.body += Array(copying: input.bytes.extracting(skip..<(skip + count)))
        }
        exchanges[exchange].bytesIn &+= UInt64(count)
        input.consume(skip + count)
      case .needMore(let consumed), .complete(let consumed): input.consume(consumed)
      case .malformed: refusal = .badRequest("The chunked body is malformed.")
      }
    }
    clients[client].input = keep(input)
    if let refusal {
      refuse(exchange, refusal)
    } else if exchanges[exchange].requestBody.isComplete {
      serve(exchange)
    }
    return true
  }

  func serve(_ exchange: Handle) {
    guard let call = exchanges[exchange].service, let request = call.request else { return abort(exchange) }
    exchanges[exchange].phase = .serving
    let client = exchanges[exchange].client
    nothingIsDue(from: client)
    let (service, mailbox) = (call.service, mailbox)
    Task(executorPreference: loop) {
      let response = await service.respond(to: request)
      mailbox.post { $0.served(exchange, response) }
    }
  }

  private func served(_ exchange: Handle, _ response: ServiceResponse) {
    guard exchanges.contains(exchange) else { return }
    let client = exchanges[exchange].client
    answer(exchange, response)
    driveClient(client)
  }
}

extension String {
  init(copying span: Span<UInt8>) { self = String(decoding: Array(copying: span), as: UTF8.self) }
}
