/// A client's connection of HTTP/2.
///
/// The first byte says whether the preface is given, the low bits of the second how many bytes of choices for the owner
/// follow; the rest are frames (`HTTP2FrameScript`).
func fuzzHTTP2Ingress(_ bytes: [UInt8]) throws(BrokenProperty) {
  try checkConnection(bytes, isIngress: true)
}

/// A backend's connection of HTTP/2, on which four requests were sent.
func fuzzHTTP2Egress(_ bytes: [UInt8]) throws(BrokenProperty) {
  try checkConnection(bytes, isIngress: false)
}
