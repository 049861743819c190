import GatewayBase

/// A request that the gateway itself makes: to an identity provider's key set, token endpoint or verifier.
package struct OutboundRequest: Sendable {
  package enum Content: Sendable {
    /// A POST of `application/x-www-form-urlencoded` fields, in this order.
    case form([Field])
    /// A POST of `application/json`.
    case json([UInt8])
  }

  package struct Field: Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package let url: ServiceURL
  /// What is posted; nil for a GET.
  package let content: Content?
  /// For `Authorization: Bearer`; without controls.
  package var bearer: Secret?
  /// Further header fields; without controls.
  package var fields: [Field] = []
  /// Milliseconds to the last byte of the answer.
  package var timeout = Limits.outboundTimeout
  /// Milliseconds to connect, TLS included.
  package var connectTimeout = Limits.outboundConnectTimeout
  /// The most bytes of the answer's body.
  package var responseLimit = Limits.outboundResponse

  package static func get(_ url: ServiceURL) -> OutboundRequest { OutboundRequest(url: url, content: nil) }

  package static func post(_ url: ServiceURL, _ content: Content) -> OutboundRequest {
    OutboundRequest(url: url, content: content)
  }

  private init(url: ServiceURL, content: Content?) {
    self.url = url
    self.content = content
  }
}

extension OutboundRequest.Content {
  var mediaType: String {
    switch self {
    case .form: "application/x-www-form-urlencoded"
    case .json: "application/json"
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .form(let fields):
      Array(
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
          .utf8)
    case .json(let bytes): bytes
    }
  }
}

/// The answer to a request of our own, whatever its status: redirects are answers too and are never followed.
package struct OutboundResponse: Sendable {
  package let status: Int
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
