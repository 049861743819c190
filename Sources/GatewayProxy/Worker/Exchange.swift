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
  /// Microseconds of the loop's clock.
  let startedAt: UInt64
  let id: RequestID
  var phase = Phase.judging
  /// Where the request came from: the peer, or whom a trusted peer names. Limits, logs and backends all see this one.
  var address: IPAddress

  // The request, known once its head is judged
  /// Bytes of the head at the front of the client's input, until they are consumed; before it is parsed, others may
  /// be among them.
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
  /// The route's index; -1 before it is known.
  var route = -1
  var backend: Backend?
  /// The place whose addresses are being looked up, or the server to which another exchange connects.
  var awaited: ObjectIdentifier?
  /// Until when they must be there; then, when the next address of the server joins the race.
  var deadline = Deadline()
  var upstream = Handle.none
  var upstreamKeepsAlive = false
  /// Whether others wait for the connection of HTTP/2 that it makes.
  var makesConnection = false
  var attempt = ConnectAttempt()
  /// Whether it counts as under way at its backend, and there at the server of `attempt`.
  private(set) var holdsServer = false
  /// Whether something spoke against its server when the answer began well: its end is to be told too.
  var owesGoodNews = false
  var retry = RetryRule(retriesLeft: 0)
  /// Bytes on their way to the backend: the head, and what is framed anew of the body.
  var requestOut: ByteBlock?
  /// Whether the rest of the body passes inside the kernel, and what of it is on its way there.
  var splicesRequest = false
  var requestPipe: Pipe?
  /// Bytes of it that are the head.
  var requestHeadCount = 0

  // The answer
  var status: UInt16 = 0
  var responseBody = BodyReader(.none)
  var answersInChunks = false
  /// Bytes on their way to the client: the head, and what is framed anew of the body.
  var responseOut: ByteBlock?
  /// Of a stream: the head, until the first byte of the answer goes out. Until then it can be taken back.
  var streamHead: ByteBlock?
  /// Whether the rest of the body passes inside the kernel, and what of it is on its way there.
  var splicesResponse = false
  var responsePipe: Pipe?
  /// Whether the client has got a byte.
  var answerHasBegun = false
  /// Whether the answer's last byte has been put into `responseOut` or sent.
  var responseIsWritten = false
  /// Bytes of the gateway's own answer that did not fit into a block yet.
  var unsent: ArraySlice<UInt8> = []
  var service: ServiceExchange?

  // What its answer says besides
  /// What the app says of the origin of the page that asks.
  var cors = CORSDecision.none
  /// The rate limit that it was counted against, and how its caller stands.
  var limit: RouteLimit?
  var standing = RateStanding(passes: true, remaining: 0, reset: 0)

  // What is counted and logged of it
  /// Nil where it is not counted: the listener's own service.
  var label: AppLabel? = AppLabel.none
  var refusal = RefusalCode.none
  var isAborted = false
  /// Bytes of the head and the body as they passed.
  var bytesIn: UInt64
  var bytesOut: UInt64 = 0
  /// The slot of what is known for its line in the access log; -1 for none.
  var note = -1
  /// When its server was taken, in microseconds of the loop's clock; 0 for never.
  var attemptAt: UInt64 = 0
  /// Microseconds from there to the answer's head.
  var firstByteAfter: UInt64 = 0
  var retries: UInt8 = 0

  init(client: Handle, address: IPAddress, headCount: Int, startedAt: UInt64, id: RequestID) {
    self.client = client
    self.address = address
    self.headCount = headCount
    self.startedAt = startedAt
    self.id = id
    bytesIn = UInt64(headCount)
  }
}

extension Exchange {
  /// It counts at the server with this index from now on, and tries its first address.
  mutating func take(server index: Int) {
    attempt.server = index
    attempt.addresses = 0
    holdsServer = true
  }

  /// The index of the server that it counted at until now; nil where it counted at none.
  mutating func letServerGo() -> Int? {
    guard holdsServer else { return nil }
    holdsServer = false
    return attempt.server
  }
}

/// Which server and which of its addresses is tried: every one once, from the one that was chosen.
struct ConnectAttempt {
  /// Index of the present server.
  var server = 0
  /// Addresses of the present server that were tried, or are just now.
  var addresses = 0
  /// Servers given up; nil for none, which costs nothing.
  var tried: [Int]?
}

/// What an exchange with a service keeps besides: off the proxied path, so it may be a class.
final class ServiceExchange {
  let service: any Service
  /// The origin of the page that asks; nil where none is named, or several.
  let origin: String?
  /// The beginning of the target as received; nil where none could be found.
  let target: String?
  /// Nil until the head is judged, and for one that is refused.
  var request: ServiceRequest?

  init(service: any Service, origin: String?, target: String?) {
    self.service = service
    self.origin = origin
    self.target = target
  }
}
