/// The field names that the gateway knows, each as one number.
///
/// A field has one of these only where it is written exactly so, in any case. What merely looks like one
/// (`Content_Length`) is `unknown` and told by its `FieldClass`.
package enum FieldName: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case unknown

  // Framing and routing
  case host, contentLength, transferEncoding, expect

  // Hop by hop (RFC 9110 section 7.6.1)
  case connection, keepAlive, te, trailer, upgrade, http2Settings
  case proxyAuthenticate, proxyAuthenticationInfo, proxyAuthorization, proxyConnection

  // Who asks, and from where
  case authorization, wwwAuthenticate, cookie, setCookie, origin
  case accessControlRequestMethod, accessControlRequestHeaders
  case accessControlAllowOrigin, accessControlAllowCredentials, accessControlAllowMethods
  case accessControlAllowHeaders, accessControlExposeHeaders, accessControlMaxAge

  // The way that a request took
  case via, forwarded, xForwardedFor, xForwardedHost, xForwardedPort, xForwardedProto, xRealIP
  case xRequestID, traceparent, tracestate
  /// Names by which frameworks are told another client address: `X-Client-IP`, `True-Client-IP` and the like.
  case clientAddress
  /// Names by which a gateway in front tells a backend who the user is: `Remote-User` and the like.
  case remoteUser
  /// `Proxy`, which CGI takes for the variable `HTTP_PROXY`: the backend's own requests would pass by the attacker
  /// (httpoxy, CVE-2016-5385).
  case proxy
  /// Names by which frameworks are told another target or host: `X-Original-URL`, `X-Rewrite-URL` and the like.
  case originalTarget
  /// Names by which frameworks are told another method: `X-HTTP-Method-Override` and the like.
  case methodOverride

  // The gateway's own
  case speed, speedRequestFrom, speedError

  // WebSocket (RFC 6455 section 11.3)
  case secWebSocketKey, secWebSocketVersion, secWebSocketProtocol, secWebSocketExtensions, secWebSocketAccept

  // The rest
  case altSvc, contentType, date, idempotencyKey, location, retryAfter, server, vary
}

extension FieldName {
  /// What the header policy says of this name.
  var fieldClass: FieldClass {
    switch self {
    case .host, .contentLength, .expect: .framing
    case .transferEncoding: [.framing, .hopByHop]
    case .connection, .keepAlive, .te, .trailer, .upgrade, .http2Settings: .hopByHop
    case .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .proxyConnection: .hopByHop
    case .forwarded, .xForwardedFor, .xForwardedHost, .xForwardedPort, .xForwardedProto, .xRealIP: .forwarding
    case .clientAddress, .originalTarget, .remoteUser, .proxy: .forwarding
    case .methodOverride: .methodOverride
    case .speed, .speedRequestFrom, .speedError: .speed
    case .via, .xRequestID, .traceparent, .tracestate: .gatewayOwned
    default: []
    }
  }

  /// All spellings, in lower case, of at most 32 bytes.
  static let spellings: [(String, FieldName)] = [
    ("host", .host), ("content-length", .contentLength), ("transfer-encoding", .transferEncoding), ("expect", .expect),
    ("connection", .connection), ("keep-alive", .keepAlive), ("te", .te), ("trailer", .trailer), ("upgrade", .upgrade),
    ("proxy-authenticate", .proxyAuthenticate), ("proxy-authentication-info", .proxyAuthenticationInfo),
    ("proxy-authorization", .proxyAuthorization), ("proxy-connection", .proxyConnection),
    ("http2-settings", .http2Settings),
    ("authorization", .authorization), ("www-authenticate", .wwwAuthenticate), ("cookie", .cookie),
    ("set-cookie", .setCookie), ("origin", .origin),
    ("access-control-request-method", .accessControlRequestMethod),
    ("access-control-request-headers", .accessControlRequestHeaders),
    ("access-control-allow-origin", .accessControlAllowOrigin),
    ("access-control-allow-credentials", .accessControlAllowCredentials),
    ("access-control-allow-methods", .accessControlAllowMethods),
    ("access-control-allow-headers", .accessControlAllowHeaders),
    ("access-control-expose-headers", .accessControlExposeHeaders),
    ("access-control-max-age", .accessControlMaxAge),
    ("via", .via), ("forwarded", .forwarded), ("x-forwarded-for", .xForwardedFor),
    ("x-forwarded-host", .xForwardedHost), ("x-forwarded-port", .xForwardedPort),
    ("x-forwarded-proto", .xForwardedProto), ("x-real-ip", .xRealIP), ("x-request-id", .xRequestID),
    ("traceparent", .traceparent), ("tracestate", .tracestate),
    ("client-ip", .clientAddress), ("x-client-ip", .clientAddress), ("true-client-ip", .clientAddress),
    ("x-true-client-ip", .clientAddress), ("cf-connecting-ip", .clientAddress),
    ("cf-connecting-ipv6", .clientAddress), ("fastly-client-ip", .clientAddress),
    ("x-cluster-client-ip", .clientAddress), ("x-original-forwarded-for", .clientAddress),
    ("x-originating-ip", .clientAddress), ("x-remote-ip", .clientAddress), ("x-remote-addr", .clientAddress),
    ("x-azure-clientip", .clientAddress), ("x-envoy-external-address", .clientAddress),
    ("forwarded-for", .clientAddress), ("x-proxyuser-ip", .clientAddress),
    ("remote-user", .remoteUser), ("x-remote-user", .remoteUser), ("proxy", .proxy),
    ("x-original-url", .originalTarget), ("x-original-uri", .originalTarget), ("x-rewrite-url", .originalTarget),
    ("x-rewrite-uri", .originalTarget), ("x-original-host", .originalTarget), ("x-original-method", .methodOverride),
    ("x-host", .originalTarget), ("x-http-host-override", .originalTarget), ("x-envoy-original-path", .originalTarget),
    ("x-url-scheme", .originalTarget), ("x-scheme", .originalTarget), ("front-end-https", .originalTarget),
    ("x-script-name", .originalTarget),
    ("x-http-method-override", .methodOverride), ("x-http-method", .methodOverride),
    ("x-method-override", .methodOverride),
    ("x-speed", .speed), ("x-speed-request-from", .speedRequestFrom), ("x-speed-error", .speedError),
    ("sec-websocket-key", .secWebSocketKey), ("sec-websocket-version", .secWebSocketVersion),
    ("sec-websocket-protocol", .secWebSocketProtocol), ("sec-websocket-extensions", .secWebSocketExtensions),
    ("sec-websocket-accept", .secWebSocketAccept),
    ("alt-svc", .altSvc), ("content-type", .contentType), ("date", .date),
    ("idempotency-key", .idempotencyKey), ("location", .location), ("retry-after", .retryAfter),
    ("server", .server), ("vary", .vary),
  ]
}
