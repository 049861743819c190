import GatewayBase
import GatewayIO
import GatewayTLS

// Long bodies that pass as they are: from socket to socket inside the kernel, without a copy. The head and what came
// with it go the usual way, and so does all that is framed anew or encrypted. A pipe holds no more than a block, and an
// exchange has one only while bytes of its body are on their way.
extension Worker {
  /// Bytes of a body that must still come for a pipe to be worth its calls.
  private static var shortest: UInt64 { 16 * 1024 }
  /// Bytes read with the head of an answer of which a pipe is to take the rest.
  private static var withHead: Int { 16 * 1024 }
  /// Bytes of an answer that are worth a call to spare them the pacing.
  private static var worthUnpacing: UInt64 { 256 * 1024 }

  func give(_ pipe: consuming Pipe?) {
    if let pipe { pipes.value.give(pipe) }
  }

  /// Decides whether the body of the answer that begins may pass inside the kernel.
  func decideOnSplicing(_ exchange: Handle) {
    let upstream = exchanges[exchange].upstream
    let length = exchanges[exchange].responseBody.remaining ?? 0
    let isPlain = clients[exchanges[exchange].client].wire.isPlain && upstreams[upstream].wire.isPlain
    exchanges[exchange].splicesResponse = isPlain && length > Self.shortest && !exchanges[exchange].answersInChunks
    // Answers of one connection are much alike. Where they are long, no more than the head is worth a copy.
    upstreams[upstream].answersLong = isPlain && length > UInt64(3 * Self.withHead)
  }

  /// Bytes of an answer to be read into `room`: all, but for one whose body a pipe will probably take.
  func roomToRead(_ exchange: Handle, _ room: Int) -> Int {
    let mayBeLong = exchanges[exchange].phase == .forwarding && upstreams[exchanges[exchange].upstream].answersLong
    return mayBeLong ? min(room, Self.withHead) : room
  }

  func splicesResponse(_ exchange: Handle) -> Bool {
    exchanges[exchange].splicesResponse && exchanges[exchange].phase == .relaying
      && upstreams[exchanges[exchange].upstream].input == nil
      && exchanges[exchange].responseBody.remaining ?? 0 > Self.shortest
  }

  /// Moves on what the backend has sent, up to a block; nil where one side has to wait or the exchange is over.
  func splice(_ exchange: Handle) -> Int? {
    let upstream = exchanges[exchange].upstream
    guard upstreams[upstream].incoming.mayRead else {
      awaitBackend(exchange)
      return nil
    }
    guard var pipe = pipes.value.take() else {
      exchanges[exchange].splicesResponse = false
      return 0
    }
    sparePacing(exchange)
    let limit = Int(min(exchanges[exchange].responseBody.remaining ?? 0, UInt64(Limits.block)))
    let result = pipe.fill(from: upstreams[upstream].wire.descriptor, limit: limit)
    exchanges[exchange].responsePipe = consume pipe
    switch result {
    case .moved(let count):
      answerMovedOn(exchange)
      return drainResponsePipe(exchange) ? count : nil
    case .wouldBlock:
      upstreams[upstream].incoming.mayRead = false
      give(exchanges[exchange].responsePipe.take())
      awaitBackend(exchange)
    case .failed(Pipe.unsuitable):
      exchanges[exchange].splicesResponse = false
      give(exchanges[exchange].responsePipe.take())
      return 0
    case .ended, .failed:
      give(exchanges[exchange].responsePipe.take())
      upstreamEnded(exchange, isClean: result == .ended)
    }
    return nil
  }

  /// Sends what the answer's pipe holds; true when all of it is out. The exchange may be over when it is false.
  func drainResponsePipe(_ exchange: Handle) -> Bool {
    guard var pipe = exchanges[exchange].responsePipe.take() else { return true }
    let client = exchanges[exchange].client
    while !pipe.isEmpty {
      let result = pipe.drain(to: clients[client].wire.descriptor)
      guard case .moved(let count) = result else {
        exchanges[exchange].responsePipe = consume pipe
        return clientStopped(exchange, result)
      }
      exchanges[exchange].responseBody.passed(count)
      exchanges[exchange].bytesOut &+= UInt64(count)
      nothingIsDue(from: client)
    }
    pipes.value.give(pipe)
    let upstream = exchanges[exchange].upstream
    // Nothing was read that could tell whether bytes follow the body, which would end the connection.
    if exchanges[exchange].responseBody.isComplete, Socket.isDrained(upstreams[upstream].wire.descriptor) {
      upstreams[upstream].incoming.noteDrained()
    }
    return true
  }

  /// A long answer within the machine is sent as fast as it is read: what paces it would cost more than the rest.
  private func sparePacing(_ exchange: Handle) {
    let client = exchanges[exchange].client
    guard !clients[client].isUnpaced, exchanges[exchange].responseBody.remaining ?? 0 > Self.worthUnpacing else {
      return
    }
    clients[client].isUnpaced = true
    if clients[client].peer.isLoopback { Socket.avoidPacing(clients[client].wire.descriptor) }
  }

  /// Whether the rest of the request's body passes inside the kernel.
  func splicesRequest(_ exchange: Handle) -> Bool {
    let client = exchanges[exchange].client
    return exchanges[exchange].splicesRequest && clients[client].input == nil
      && exchanges[exchange].requestBody.remaining ?? 0 > Self.shortest
      && clients[client].wire.isPlain && upstreams[exchanges[exchange].upstream].wire.isPlain
  }

  /// Moves on what the client has sent of the body, up to a block; false where one side has to wait.
  func spliceBody(_ exchange: Handle) -> Bool {
    let client = exchanges[exchange].client
    guard clients[client].incoming.mayRead else {
      awaitBody(client)
      return false
    }
    guard var pipe = pipes.value.take() else {
      exchanges[exchange].splicesRequest = false
      return true
    }
    give(exchanges[exchange].requestOut.take())
    let limit = Int(min(exchanges[exchange].requestBody.remaining ?? 0, UInt64(Limits.block)))
    let result = pipe.fill(from: clients[client].wire.descriptor, limit: limit)
    exchanges[exchange].requestPipe = consume pipe
    switch result {
    case .moved: return drainRequestPipe(exchange)
    case .wouldBlock:
      clients[client].incoming.mayRead = false
      give(exchanges[exchange].requestPipe.take())
      awaitBody(client)
    case .failed(Pipe.unsuitable):
      exchanges[exchange].splicesRequest = false
      give(exchanges[exchange].requestPipe.take())
      return true
    case .ended, .failed: abort(exchange)
    }
    return false
  }

  /// Sends what the request's pipe holds; true when all of it is out. The exchange may be over when it is false.
  func drainRequestPipe(_ exchange: Handle) -> Bool {
    guard var pipe = exchanges[exchange].requestPipe.take() else { return true }
    while !pipe.isEmpty {
      let result = pipe.drain(to: upstreams[exchanges[exchange].upstream].wire.descriptor)
      switch result {
      case .moved(let count):
        exchanges[exchange].requestBody.passed(count)
        exchanges[exchange].bytesIn &+= UInt64(count)
        requestMovedOn(exchange)
        noteSent(count, exchange)
      case .wouldBlock:
        exchanges[exchange].requestPipe = consume pipe
        loop.wheel.clear(&clients[exchanges[exchange].client].deadline)
        awaitRoom(exchange)
        return false
      case .ended, .failed:
        pipes.value.give(pipe)
        requestCannotBeSent(exchange)
        return false
      }
    }
    pipes.value.give(pipe)
    return true
  }
}

extension Wire {
  /// Whether there is a socket, and it carries the bytes as they are. A stream of HTTP/2 has none of its own.
  fileprivate var isPlain: Bool { descriptor >= 0 && !isTLS }
}
