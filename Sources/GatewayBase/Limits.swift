/// Every fixed bound of the gateway: what it bounds, its unit, and what happens there.
public enum Limits {
  /// Bytes of a request head, when `limits.maxHeader` says nothing: 431 beyond.
  package static let requestHead = 32 * 1024
  /// The most that `limits.maxHeader` may allow: a head must fit into one block.
  package static let requestHeadCeiling = 60 * 1024
  /// Fields of a head: 431 beyond.
  package static let fields = 128
  /// Bytes of a method: 400 beyond.
  package static let method = 32
  /// Options in all `Connection` fields of a head, each of which is looked for among the fields: 400 beyond.
  package static let connectionOptions = 32
  /// Subprotocols that a WebSocket handshake offers, each of which is written anew with a blank of its own: 400 beyond.
  package static let subprotocols = 64
  /// Bytes of a URL of the configuration or of a plugin.
  package static let url = 2000
  /// Descriptors kept for what is no connection: files, the store, key sets, listeners.
  package static let reservedDescriptors = 100
  /// Connections to listeners that are no app's (admin), which `limits.maxConnections` does not count: closed beyond.
  package static let serviceConnections = 1024
  /// The least that `limits.maxConnectionsPerAddress` is where the configuration says nothing.
  package static let connectionsPerAddress = 1000
  /// Bytes of a PROXY protocol announcement: the connection ends beyond.
  package static let proxyAnnouncement = 4096
  /// Callers whose rate is remembered at once. Beyond, of eight that share a place the one that is nearest to its full
  /// allowance goes, and who comes new there begins without a burst.
  package static let rateCallers = 262_144
  /// Bytes of the `Access-Control-Request-Headers` that a preflight is told back: beyond, it gets the usual ones.
  package static let corsRequestHeaders = 2048
  /// Seconds that a browser may keep the answer to a preflight.
  package static let corsMaxAge = 600
  /// Bytes of a request target: 414 beyond.
  package static let target = 8 * 1024
  /// Bytes of a response head from a backend: 502 beyond.
  package static let responseHead = 60 * 1024
  /// Bytes of one I/O block: what a connection holds while bytes are on their way, per direction.
  @inlinable public static var block: Int { 64 * 1024 }
  /// Bytes left free in front of a request that is read: where the backend's head fits in there, a body that came with
  /// its head is sent from where it is, and else copied.
  package static let roomForHead = 4096
  /// Free blocks that a loop keeps: more go back to the system.
  package static let keptBlocks = 256
  /// Pipes of a loop that hold a long body on its way: with more of them stuck, bodies are copied.
  package static let pipes = 64
  /// Free buffers for encrypted bytes that a loop keeps: more go back to the system.
  package static let keptTLSBuffers = 64
  /// Bytes of a file with a certificate and its chain, or with its key: refused beyond.
  package static let certificateFile = 256 * 1024
  /// Bytes of a chunk-size line with its extension (RFC 9112 section 7.1): 400 beyond.
  package static let chunkLine = 256
  /// Bytes of a trailer section, which is read and dropped: 400 beyond.
  package static let trailers = 16 * 1024
  /// Bytes of a body of the platform API: 413 beyond.
  package static let apiBody = 64 * 1024
  /// Bytes read and dropped after a last answer: the connection ends beyond.
  package static let lingering = 1024 * 1024
  /// Milliseconds of a drain between the last accept and the end of the first idle connection.
  package static let drainGrace: UInt64 = 100
  /// Bytes of a bearer token: 401 beyond.
  package static let bearer = 4096
  /// Bytes of an answer that a backend may still send when its client has gone and the app lets it finish: cut beyond.
  package static let unwantedAnswer = 1024 * 1024
  /// Milliseconds for the same.
  package static let unwantedAnswerTime: UInt64 = 30_000
  /// Milliseconds for the rest of a frame that is on its way when the gateway ends a WebSocket: cut beyond.
  package static let lastFrame: UInt64 = 1000
  /// Bytes of an identity token: 401 beyond.
  package static let identityToken = 16 * 1024
  /// Tokens a loop that are found by their bytes, without a digest; of five that share four places one goes.
  package static let recentTokens = 4096
  /// Remembered tokens a loop: the oldest half is forgotten beyond.
  package static let rememberedTokens = 65_536
  /// Milliseconds that one address of a backend has to connect before the next joins (RFC 8305 section 5).
  package static let addressHeadStart: UInt64 = 250
  /// Idle connections that a loop keeps to a place, for all apps that name it: closed beyond.
  package static let idleUpstreams = 256
  /// Jobs waiting for the blocking pool: refused with 503 beyond.
  package static let blockingQueue = 4096
  /// Passwords that wait to be derived or compared: the provider hears that too many do beyond.
  package static let passwordQueue = 64
  /// Bytes of a password: none is longer.
  package static let password = 4096
  /// Letters that wait to be sent: the provider hears that too many do beyond.
  package static let mailQueue = 1000
  /// Bytes of a letter's subject: refused beyond.
  package static let mailSubject = 500
  /// Bytes of a letter's text and HTML together: refused beyond.
  package static let mail = 256 * 1024
  /// Milliseconds after a failed attempt to send a letter before the next; after the last one it is given up.
  package static let mailPauses: [UInt64] = [10_000, 60_000]
  /// Milliseconds that the relay has for a whole letter, and within that to connect: the attempt fails beyond.
  package static let mailTimeout = 15_000
  package static let mailConnectTimeout = 5000
  /// Milliseconds at the process's end for the last letters: what is left then is lost, and said.
  package static let mailFinish = 5000
  /// Bytes of what a browser sends of a passkey: refused beyond.
  package static let passkey = 16 * 1024
  /// Bytes of the key of a record that a provider keeps: refused beyond.
  package static let recordKey = 200
  /// Bytes of such a record: refused beyond.
  package static let record = 32 * 1024
  /// Records that a provider changes, or asks for, at once: refused beyond.
  package static let records = 32
  /// Random bytes that a provider gets at once.
  package static let randomBytes = 1024
  /// Levels of arrays and objects in a JSON text: malformed beyond.
  package static let jsonDepth = 32
  /// Keys of a key set: the set is refused beyond.
  package static let keySetKeys = 100
  /// Look-ups of host names under way at once: more wait, up to `blockingQueue`.
  package static let resolverThreads = 4
  /// Plugins of one gateway: further folders are reported and not loaded.
  package static let plugins = 64
  /// Bytes of a plugin's library: refused beyond.
  package static let pluginLibrary = 64 * 1024 * 1024
  /// Libraries of plugins that one process takes in, as changed ones come and none is ever unloaded: refused beyond, until a
  /// restart.
  package static let pluginCopies = 256
  /// Bytes of the description in a plugin's ELF note: refused beyond.
  package static let pluginNote = 1024
  /// Milliseconds of a plugin's trial load: its process is killed beyond.
  package static let pluginTrial: UInt64 = 5000
  /// Bytes of the reason that a trial load tells: cut there.
  package static let pluginTrialReason = 1024
  /// Bytes of a message between the gateway and the process of an isolated plugin: the process is ended beyond.
  package static let pluginFrame = 4 * 1024 * 1024
  /// Bytes of data that such a process may have where its `plugin.yaml` does not say.
  package static let pluginMemory = 256 * 1024 * 1024
  /// Calls of an isolated plugin under way at once: more are not made.
  package static let pluginCalls = 256
  /// Services that an isolated plugin uses at once on behalf of one call: the process is ended beyond.
  package static let pluginQuestions = 32
  /// Milliseconds from a call of an isolated plugin to its answer where its `plugin.yaml` does not say: it has none beyond.
  /// Longer than any service takes.
  package static let pluginCall: UInt64 = 15_000
  /// Milliseconds that a call which nobody waits for any more has to end: the process is ended beyond.
  package static let pluginGrace: UInt64 = 2000
  /// Milliseconds that a call waits for a process that starts.
  package static let pluginWait: UInt64 = 1000
  /// Milliseconds from a ping to its answer: the process is ended beyond. Half of it is the pause between two.
  package static let pluginPing: UInt64 = 4000
  /// Milliseconds between the end of a process and the next start: the least, doubled with each end, and the most.
  package static let pluginPauses: ClosedRange<UInt64> = 200...30_000
  /// Milliseconds of service after which an end counts as the first again.
  package static let pluginHealthy: UInt64 = 60_000
  /// Bytes of an answer to a request of our own (key sets, token exchanges): the request fails beyond.
  package static let outboundResponse = 256 * 1024
  /// Milliseconds from a request of our own to the last byte of its answer: it fails beyond.
  package static let outboundTimeout = 5000
  /// Milliseconds within that to connect, TLS included.
  package static let outboundConnectTimeout = 3000
  /// Requests of our own under way at once: more wait, up to `blockingQueue`.
  package static let outboundThreads = 8
  /// Bytes of an answer to a health check that are read: the rest is of no interest.
  package static let probeAnswer = 64 * 1024
  /// Health checks under way at once: more wait.
  package static let healthChecks = 256
  /// Write transactions that one commit of SQLite makes durable together: the rest waits for the next commit.
  package static let commitBatch = 256
  /// Threads, and so connections, that read from SQLite at once.
  package static let sqliteReaders = 2
  /// Threads, and so connections, that work with MariaDB at once: more wait.
  package static let mariaDBConnections = 16
  /// Prepared statements kept for each connection to a store: all are dropped beyond.
  package static let preparedStatements = 128
  /// Seconds that a store may take to connect, to answer or to give up a lock: `unavailable` beyond.
  package static let storeWait = 2
  /// Seconds that one statement of a migration may take: `unavailable` beyond.
  package static let migrationWait = 60
  /// Pages of SQLite's write-ahead log: copied back into the file beyond.
  package static let checkpointPages = 1000
  /// Pages of SQLite's write-ahead log that a reader keeps from being copied back: a warning is logged beyond.
  package static let checkpointWarningPages = 16_000
  /// Seconds that an access token lives at most; longer lifetimes are cut. Retired keys verify for as long.
  package static let tokenLifetime: Int64 = 7 * 86_400
  /// Seconds that a token for linking two accounts lives.
  package static let linkToken: Int64 = 15 * 60
  /// Seconds from the beginning of a sign-in in a browser to its end: over beyond.
  package static let webFlow: Int64 = 600
  /// Seconds for which a code that stands for a sign-in's answer is good.
  package static let signInCode: Int64 = 60
  /// Seconds within which a ticket, a token in a URL, must be used: it ends beyond.
  package static let ticket: Int64 = 60
  /// Used tickets that wait to be told to other nodes while the store is gone: of more only this node knows.
  package static let ticketQueue = 10_000
  /// Seconds that a browser keeps the cookie by which forms are known to come from a page that it was shown.
  package static let browserCookie: Int64 = 365 * 86_400
  /// Bytes of what a browser keeps for a provider, and of what it calls itself: a fault of the provider, and cut, beyond.
  package static let browserText = 256
  /// Languages that a browser may ask for: of more the first count.
  package static let browserLanguages = 16
  /// Bytes of an app's logo: not shown beyond.
  package static let logo = 12 * 1024
  /// Seconds for which an unused refresh token is good.
  package static let refreshLifetime: Int64 = 90 * 86_400
  /// Notices of providers that are known as repeats without a look at their signature and the store.
  package static let recentNotices = 4096
  /// Seconds that an assertion towards a backend lives.
  package static let assertionLifetime: Int64 = 60
  /// Bytes of the issuer's URL in tokens: with more, an assertion could pass 1,000 bytes.
  package static let issuer = 255
  /// Bytes of a file with a signing key: refused beyond.
  package static let keyFile = 16 * 1024
  /// Bytes of what a provider leaves to be done, and of a grant's secret: not kept beyond.
  package static let providerSecret = 4096
  /// Milliseconds before the second attempt at queued work of a provider; doubled by each further one.
  package static let jobFirstPause: Int64 = 5000
  /// Milliseconds between two attempts at most.
  package static let jobLongestPause: Int64 = 3_600_000
  /// Seconds after which queued work of a provider is given up.
  package static let jobLifetime: Int64 = 30 * 86_400
  /// Milliseconds within which whoever took up work ends or puts back what it took: then others take it up.
  package static let jobLease: Int64 = 60_000
  /// Queued work that one node takes up at once: the rest stays in the store.
  package static let jobBatch = 32
  /// Seconds between two checks of a grant at its provider, who asks for no more.
  package static let grantCheck: Int64 = 86_400
  /// Seconds for which a user who moves to another team is known by a transfer id.
  package static let transferLifetime: Int64 = 60 * 86_400
  /// Calls to a provider in a row without an answer: after them the host is left alone for `hostPause`.
  package static let hostFailures = 3
  /// Milliseconds for which calls to a host that does not answer fail at once.
  package static let hostPause: UInt64 = 30_000
  /// Milliseconds that an issuer's key set is used before it is fetched again behind the requests.
  package static let keySetLifetime: UInt64 = 3_600_000
  /// Milliseconds between two fetches of one key set for unknown key ids, for all requests together; an id that such a
  /// fetch did not bring is refused for as long without a look at the issuer.
  package static let keySetCoolDown: UInt64 = 30_000
  /// Milliseconds before the first retry of a failed fetch; doubled by each further failure up to `keySetCoolDown`.
  package static let keySetRetry: UInt64 = 1000
  /// Requests that wait for one fetch of a key set: 503 beyond.
  package static let keySetWaiters = 1024
  /// Unknown key ids remembered for one key set: more are not remembered.
  package static let unknownKeyIDs = 256

  /// Milliseconds that a process and its successor wait for each other's next word.
  package static let handoverAnswer = 5000
  /// Milliseconds that a successor may take to start: the running process forgets it beyond.
  package static let handoverStart = 60_000
  /// Apps that have metrics of their own, from the first that was loaded on; the others count together as `other`.
  package static let labelledApps = 200
  /// Bytes of half the buffer in which a loop's lines of the access log wait for the writer: dropped beyond, and counted.
  package static let lineBuffer = 256 * 1024
  /// Milliseconds that a line of the access log waits for more of them at most.
  package static let lineDelay = 500
  /// Milliseconds at the process's end for the last lines of the access log: what is left then is lost.
  package static let lineFinish = 1000
  /// Bytes of a request's path in the access log, escapes included: cut there.
  package static let loggedPath = 512
  /// Bytes of a method without a name here, and of a user's id, in the access log: cut there.
  package static let loggedName = 64
  /// Bytes that are kept of a request for its line in the access log.
  package static let loggedRequest = 1024

  /// Bytes of a configuration file: `invalid_yaml` beyond.
  package static let configurationFile = 256 * 1024
  /// Problems of files that the log tells of one change: of more only the number.
  package static let problemsTold = 1000
  /// Milliseconds that a start waits for what the store knows of claims, once the files are read: it goes on by the files
  /// alone then, and learns the rest later.
  package static let claimsWait: UInt64 = 1_000
  /// Apps whose teams one read of the store is asked for.
  package static let teamsAskedTogether = 100
  /// Milliseconds without a sign of life after which a node counts as gone.
  package static let nodeSilence: Int64 = 20_000
  /// Texts that apps have in common and hold once: further ones are held by each app.
  package static let sharedTexts = 4096
  /// Nodes (keys, values, lists, mappings) of a configuration file: `invalid_yaml` beyond.
  package static let configurationNodes = 5_000
  /// Lists and mappings inside one another in a configuration file: `invalid_yaml` beyond.
  package static let configurationDepth = 16
  /// Milliseconds that a command waits for the admin listener of a running gateway.
  package static let adminPatience = 2_000
  /// Files of a running gateway that `diff` tells of one state.
  package static let runningFilesTold = 100
  /// Bytes of an archive of git that `diff` reads.
  package static let gitArchive = 1 << 30
  /// Tenant files that one task of `check` reads in a row.
  package static let filesReadTogether = 64
  /// Names that `check --online` looks up at once, and seconds after which it stops waiting for the rest.
  package static let namesLookedUpTogether = 32
  package static let onlinePatience = 10
  /// Seconds before the end of a certificate from which `check --online` tells of it: two weeks.
  package static let certificateNotice: Int64 = 14 * 86_400
  /// Bytes of a file that holds a secret: it counts as missing beyond.
  package static let secretFile = 64 * 1024
  /// Folders inside one another under `tenants/`: deeper ones are reported and not read.
  package static let folderDepth = 16

  /// Streams of an HTTP/2 connection at once: refused with REFUSED_STREAM beyond.
  package static let http2Streams = 128
  /// Bytes of a stream that may be on their way to us: the window of RFC 9113 section 6.9, its default.
  package static let http2StreamWindow = 65_535
  /// Bytes of all streams of an HTTP/2 connection that may be on their way to us.
  package static let http2ConnectionWindow = 1024 * 1024
  /// Bytes of a list of fields as it comes out of compression, with 32 for each field: the connection ends beyond.
  @inlinable public static var http2HeaderList: Int { 256 * 1024 }
  /// Bytes of the dynamic table that a peer may use for compressed fields.
  package static let http2HeaderTable = 4096
  /// Bytes of memory for a head while it is read: the largest one with its request line written twice.
  @inlinable public static var http2HeadBuffer: Int { 72 * 1024 }
  /// Free buffers for heads that a loop keeps: more go back to the system.
  package static let http2KeptHeads = 16
  /// Free pieces of memory of each size that a loop keeps for HTTP/2: more go back to the system.
  package static let http2KeptPieces = 256
  /// Bytes of an `:authority`: 400 beyond.
  package static let authority = 1024
  /// CONTINUATION frames of a list of fields: the connection ends beyond.
  package static let http2Continuations = 8
  /// Settings in one frame: the connection ends beyond.
  package static let http2Settings = 32
  /// Answers to SETTINGS and PING that wait to be sent: the connection ends beyond.
  package static let http2QueuedAcks = 100
  /// Frames other than DATA that wait to be sent: the connection ends beyond.
  package static let http2QueuedFrames = 1000
  /// Frames in a row that move nothing (settings, pings, priorities, window updates, empty data): the connection ends
  /// beyond.
  package static let http2IdleFrames = 1000
  /// How many of them each second allows anew.
  package static let http2IdleFramesPerSecond = 100
  /// How many of them each stream and each frame with data allows anew.
  package static let http2IdleFramesPerWork = 4
  /// Streams in a row that the peer resets or has reset: the connection ends beyond.
  package static let http2Resets = 200
  /// How many of them each second allows anew.
  package static let http2ResetsPerSecond = 30
  /// Bytes of output room below which no DATA frame is begun.
  @inlinable public static var http2LeastRoom: Int { 1024 }
}
