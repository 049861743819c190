import GatewayBase
import GatewayHTTP
import GatewayIO

// The answer's bytes to the client: as they are, or framed anew, and never more than one block ahead of it.
extension Worker {
  /// Bytes of a body that are copied rather than sent from where they are.
  private static var copied: Int { 8 * 1024 }

  /// Passes on what has arrived; true where the backend should be read again.
  func passResponse(_ exchange: Handle) -> Bool {
    if exchanges[exchange].webSocket?.ending != nil { return passLastFrame(exchange) }
    guard drainResponsePipe(exchange) else { return false }
    let upstream = exchanges[exchange].upstream
    if !exchanges[exchange].responseBody.isComplete, var input = upstreams[upstream].input.take() {
      let isPassed: Bool
      if exchanges[exchange].responseBody.isTransparent && !exchanges[exchange].answersInChunks {
        isPassed = sendThrough(exchange, &input)
      } else {
        isPassed = copyThrough(exchange, &input)
      }
      let rest = keep(input)
      // What stopped the passing may have ended the exchange, and the connection with it.
      if upstreams.contains(upstream) { upstreams[upstream].input = rest } else { give(rest) }
      guard isPassed else { return false }
    }
    if exchanges[exchange].responseBody.isComplete { return completeResponse(exchange) }
    return flushResponse(exchange) && exchanges.contains(exchange)
  }

  /// Sends the head and the body's bytes from where they are; false where the client has to be waited for.
  ///
  /// - Parameter limit: bytes of the input that may pass.
  func sendThrough(_ exchange: Handle, _ input: inout ByteBlock, upTo limit: Int = .max) -> Bool {
    var left = limit
    while true {
      let share = min(left, exchanges[exchange].responseBody.share(of: input.count))
      if share == 0 { return true }
      let ahead = exchanges[exchange].responseOut?.count ?? 0
      let result = send(exchange, ahead: ahead, input.bytes.extracting(0..<share))
      guard case .moved(let count) = result else { return clientStopped(exchange, result) }
      exchanges[exchange].bytesOut &+= UInt64(count)
      nothingIsDue(from: exchanges[exchange].client)
      let moved = max(0, count - ahead)
      if exchanges[exchange].isTunnel { noteFrames(exchange, input.bytes.extracting(0..<moved)) }
      input.consume(moved)
      left -= moved
      exchanges[exchange].responseBody.passed(moved)
      if count == ahead + share { return true }
    }
  }

  /// Sends what waits already and the body's bytes as one.
  ///
  /// A small body is copied behind its head: that costs less than the kernel's way of taking two runs.
  private func send(_ exchange: Handle, ahead: Int, _ body: Span<UInt8>) -> Transfer {
    submitStreamHead(exchange)
    let client = exchanges[exchange].client
    guard var out = exchanges[exchange].responseOut.take() else { return send(to: client, body) }
    if body.count <= Self.copied, body.count <= out.room {
      out.append(body)
      let result = send(to: client, out.bytes)
      out.drop(last: body.count)
      if case .moved(let count) = result { out.consume(min(count, ahead)) }
      exchanges[exchange].responseOut = keep(out)
      return result
    }
    let result = send(to: client, out.bytes, body)
    if case .moved(let count) = result { out.consume(min(count, ahead)) }
    exchanges[exchange].responseOut = keep(out)
    return result
  }

  private func send(to client: Handle, _ bytes: Span<UInt8>) -> Transfer {
    clients[client].stream == nil ? clients[client].wire.send(bytes) : send(onStream: client, bytes)
  }

  private func send(to client: Handle, _ first: Span<UInt8>, _ second: Span<UInt8>) -> Transfer {
    if clients[client].stream == nil { return clients[client].wire.send(first, second) }
    let result = send(onStream: client, first)
    guard result == .moved(first.count), case .moved(let more) = send(onStream: client, second) else { return result }
    return .moved(first.count + more)
  }

  /// Copies the body's bytes behind what waits already, framed anew; false where the client has to be waited for.
  private func copyThrough(_ exchange: Handle, _ input: inout ByteBlock) -> Bool {
    while !input.isEmpty, !exchanges[exchange].responseBody.isComplete {
      var out = exchanges[exchange].responseOut.take() ?? blocks.take()
      if out.room <= ByteBlock.chunkOverhead { out.compact() }
      let isWellFormed = copy(exchange, from: &input, to: &out)
      exchanges[exchange].responseOut = consume out
      guard isWellFormed else {
        refuseBody(exchange)
        return false
      }
      guard flushResponse(exchange) else { return false }
    }
    return true
  }

  private func copy(_ exchange: Handle, from input: inout ByteBlock, to out: inout ByteBlock) -> Bool {
    while !input.isEmpty, out.room > ByteBlock.chunkOverhead, !exchanges[exchange].responseBody.isComplete {
      let run = min(input.count, out.room - ByteBlock.chunkOverhead)
      let step = exchanges[exchange].responseBody.next(input.bytes.extracting(0..<run))
      switch step {
      case .data(let skip, let count):
        out.append(input.bytes.extracting(skip..<(skip + count)), asChunk: exchanges[exchange].answersInChunks)
        input.consume(skip + count)
      case .needMore(let consumed), .complete(let consumed): input.consume(consumed)
      case .malformed: return false
      }
    }
    return true
  }

  /// The body is whole: its end is written once, the backend let go, and the exchange over when all is out.
  private func completeResponse(_ exchange: Handle) -> Bool {
    if !exchanges[exchange].responseIsWritten {
      if exchanges[exchange].answersInChunks {
        var out = exchanges[exchange].responseOut.take() ?? blocks.take()
        if out.room < ByteBlock.chunkOverhead { out.compact() }
        guard out.room >= ByteBlock.chunkOverhead else {
          exchanges[exchange].responseOut = consume out
          if flushResponse(exchange) { return completeResponse(exchange) }
          return false
        }
        out.append("0\r\n\r\n")
        exchanges[exchange].responseOut = consume out
      }
      exchanges[exchange].responseIsWritten = true
      release(upstreamOf: exchange)
    }
    if flushResponse(exchange) { finish(exchange) }
    return false
  }

  /// Sends what `responseOut` holds; true when all of it is out. The exchange may be over when it is false.
  func flushResponse(_ exchange: Handle) -> Bool {
    submitStreamHead(exchange)
    guard var out = exchanges[exchange].responseOut.take() else { return true }
    let client = exchanges[exchange].client
    while !out.isEmpty {
      let result = send(to: client, out.bytes)
      guard case .moved(let count) = result else {
        exchanges[exchange].responseOut = consume out
        return clientStopped(exchange, result)
      }
      exchanges[exchange].answerHasBegun = true
      exchanges[exchange].bytesOut &+= UInt64(count)
      out.consume(count)
      nothingIsDue(from: client)
    }
    blocks.give(out)
    return true
  }

  /// The client takes no more for now, or has gone. Always false: the caller has nothing more to do.
  func clientStopped(_ exchange: Handle, _ result: Transfer) -> Bool {
    guard result == .wouldBlock else {
      abort(exchange)
      return false
    }
    let client = exchanges[exchange].client
    if clients[client].deadline.milliseconds == .max {
      clients[client].queued = .max
      loop.wheel.set(
        &clients[client].deadline, of: client, to: loop.clock.milliseconds + context.limits.progress)
    }
    let upstream = exchanges[exchange].upstream
    if !upstream.isNone { loop.wheel.clear(&upstreams[upstream].deadline) }
    return false
  }

  func clientIsWritable(_ exchange: Handle) {
    switch exchanges[exchange].phase {
    case .relaying:
      guard isBlocked(exchange) else { return }
      if exchanges[exchange].responseIsWritten {
        if flushResponse(exchange) { finish(exchange) }
      } else {
        driveResponse(exchange)
      }
    case .answering: continueAnswer(exchange)
    case .judging, .collecting, .serving, .forwarding:
      if exchanges[exchange].responseOut != nil { _ = flushResponse(exchange) }
    }
  }

  /// Whether bytes of an answer wait for the client to take them.
  func isBlocked(_ exchange: Handle) -> Bool {
    exchanges[exchange].responseOut != nil
      || exchanges[exchange].phase == .relaying
        && (exchanges[exchange].responsePipe != nil || hasInput(exchanges[exchange].upstream))
  }

  private func hasInput(_ upstream: Handle) -> Bool { !upstream.isNone && upstreams[upstream].input != nil }
}
