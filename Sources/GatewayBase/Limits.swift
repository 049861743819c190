/// Every fixed bound of the gateway: what it bounds, its unit, and what happens there.
package enum Limits {
  /// Bytes of a request head, when `limits.maxHeader` says nothing: 431 beyond.
  package static let requestHead = 32 * 1024
  /// The most that `limits.maxHeader` may allow: a head must fit into one block.
  package static let requestHeadCeiling = 60 * 1024
  /// Fields of a head: 431 beyond.
  package static let fields = 128
  /// Bytes of a request target: 414 beyond.
  package static let target = 8 * 1024
  /// Bytes of a response head from a backend: 502 beyond.
  package static let responseHead = 60 * 1024
  /// Bytes of one I/O block: what a connection holds while bytes are on their way, per direction.
  package static let block = 64 * 1024
  /// Bytes of a chunk-size line with its extension (RFC 9112 section 7.1): 400 beyond.
  package static let chunkLine = 256
  /// Bytes of a trailer section, which is read and dropped: 400 beyond.
  package static let trailers = 16 * 1024
  /// Bytes of a body of the platform API: 413 beyond.
  package static let apiBody = 64 * 1024
  /// Bytes of a bearer token: 401 beyond.
  package static let bearer = 4096
  /// Bytes of an identity token: 401 beyond.
  package static let identityToken = 16 * 1024
  /// Remembered tokens a loop: the oldest half is forgotten beyond.
  package static let rememberedTokens = 65_536
  /// Idle connections kept for each loop and backend server: closed beyond.
  package static let idleUpstreams = 64
  /// Jobs waiting for the blocking pool: refused with 503 beyond.
  package static let blockingQueue = 4096

  /// Bytes of a configuration file: `invalid_yaml` beyond.
  package static let configurationFile = 256 * 1024
  /// Nodes (keys, values, lists, mappings) of a configuration file: `invalid_yaml` beyond.
  package static let configurationNodes = 5_000
  /// Lists and mappings inside one another in a configuration file: `invalid_yaml` beyond.
  package static let configurationDepth = 16
  /// Bytes of a file that holds a secret: it counts as missing beyond.
  package static let secretFile = 64 * 1024
  /// Folders inside one another under `tenants/`: deeper ones are reported and not read.
  package static let folderDepth = 16
}
