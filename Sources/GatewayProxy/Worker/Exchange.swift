import GatewayBase
import GatewayHTTP
import GatewayIO

/// One request and its answer, from the head's last byte to the answer's.
struct Exchange: ~Copyable {
  /// How far the exchange is. Successors are named at each.
  enum Phase {
    /// The head is being judged, maybe on another thread → any other.
    case judging
    /// A service's request body is being read → `serving`.
    case collecting
    /// A service is at work → `answering`.
    case serving
    /// On its way to a backend: looking up, connecting, sending, waiting → `relaying`, `answering`.
    case forwarding
    /// The backend's answer passes through → `finish`.
    case relaying
    /// The gateway's own answer is being sent → `finish`.
    case answering
  }

  let client: Handle
  let startedAt: UInt64
  let id: RequestID
  var phase = Phase.judging

  // The request, known once its head is judged
  /// Bytes of the head at the front of the client's input, until they are consumed.
  var headCount: Int
  var method = HTTPMethod.get
  var isHTTP10 = false
  var keepsConnection = false
  var mustSendContinue = false
  var requestBody = BodyReader(.none)
  /// Bytes of the body that may still come: 413 beyond.
  var bodyAllowance: UInt64 = 0
  var sendsChunks = false
  /// The checked token, where the route requires one.
  var token: RememberedToken?
  /// The WebSocket that was asked for, and what became of it.
  var webSocket: WebSocketExchange?

  // Where it goes
  var tenant: Tenant?
  var backend: Backend?
  /// The server, by its pool's index, whose addresses are being looked up.
  var awaitedServer: Int?
  /// Until when they must be there.
  var deadline = Deadline()
  var upstream = Handle.none
  var upstreamKeepsAlive = false
  var attempt = ConnectAttempt()
  var retry = RetryRule(retriesLeft: 0)
  /// Bytes on their way to the backend: the head, and what is framed anew of the body.
  var requestOut: ByteBlock?

  // The answer
  var status: UInt16 = 0
  var responseBody = BodyReader(.none)
  var answersInChunks = false
  /// Bytes on their way to the client: the head, and what is framed anew of the body.
  var responseOut: ByteBlock?
  /// Whether the client has got a byte.
  var answerHasBegun = false
  /// Whether the answer's last byte has been put into `responseOut` or sent.
  var responseIsWritten = false
  /// Bytes of the gateway's own answer that did not fit into a block yet.
  var unsent: ArraySlice<UInt8> = []
  var service: ServiceExchange?

  init(client: Handle, headCount: Int, startedAt: UInt64, id: RequestID) {
    self.client = client
    self.headCount = headCount
    self.startedAt = startedAt
    self.id = id
  }
}

/// Which server and which of its addresses is tried: every one once, from the one whose turn it is.
struct ConnectAttempt {
  /// Index of the first server tried.
  var first = 0
  /// Servers given up.
  var servers = 0
  /// Addresses of the present server given up.
  var addresses = 0

  mutating func nextServer() {
    servers += 1
    addresses = 0
  }
}

/// What an exchange with a service keeps besides: off the proxied path, so it may be a class.
final class ServiceExchange {
  let service: any Service
  var request: ServiceRequest

  init(service: any Service, request: ServiceRequest) {
    self.service = service
    self.request = request
  }
}
