/// A request that is written as given: nothing is checked, so that a test can send what no client should.
package struct HTTPRequest: Sendable {
  package var method: String
  package var target: String
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  /// - Parameter host: the value of `Host`; nil sends none.
  package init(
    _ method: String = "GET", _ target: String, host: String?, fields: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.fields = (host.map { [(name: "Host", value: $0)] } ?? []) + fields
    self.body = body
  }

  /// The same with a body of JSON.
  package init(_ method: String = "POST", _ target: String, host: String?, json: JSON) {
    self.init(
      method, target, host: host, fields: [("Content-Type", "application/json")], body: json.bytes)
  }

  /// The same with one more field.
  package func adding(_ name: String, _ value: String) -> HTTPRequest {
    var copy = self
    copy.fields.append((name, value))
    return copy
  }

  package var bytes: [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
    return Array("\(text)\r\n".utf8) + body
  }
}
