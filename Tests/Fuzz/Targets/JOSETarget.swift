import GatewayBase
import GatewayCrypto

/// JSON, a key set or a token; the first byte chooses.
func fuzzJOSE(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let choice = bytes.first else { return }
  let text = Array(bytes.dropFirst())
  switch choice % 3 {
  case 0: try checkJSON(text)
  case 1: try checkKeySet(text)
  default: try checkToken(text)
  }
}

private func checkJSON(_ text: [UInt8]) throws(BrokenProperty) {
  let value: JSONValue
  do throws(JSONMalformed) {
    value = try JSONValue(parsing: text)
  } catch {
    return try expect((0...text.count).contains(error.offset), "a fault is within the text")
  }
  try expect(String(validating: text, as: UTF8.self) != nil, "JSON is UTF-8")
  try expect(depth(value) <= Limits.jsonDepth, "JSON is nested within its limit")
  let written = value.jsonText
  try expect((try? JSONValue(parsing: written)) == value, "a value is the same when it is written anew")
  for byte in written { try expect(byte >= 0x20 && byte != 0x7F, "written JSON is one line") }
  let blanks = Array(" \n\t\r".utf8)
  try expect((try? JSONValue(parsing: blanks + text + blanks)) == value, "blanks around a text mean nothing")
  for end in 0..<min(text.count, 64) where !text[end...].allSatisfy(blanks.contains) {
    guard case .object = value else { break }
    try expect((try? JSONValue(parsing: Array(text[..<end]))) == nil, "a part of an object is none")
  }
}

private func depth(_ value: JSONValue) -> Int {
  switch value {
  case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
  case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
  default: 0
  }
}

private func checkKeySet(_ text: [UInt8]) throws(BrokenProperty) {
  guard let set = try? JSONWebKeySet(parsing: text) else { return }
  let entries = (try? JSONValue(parsing: text))?["keys"]?.array
  try expect(entries.map { $0.count <= Limits.keySetKeys } == true, "a set is a list within its limit")
  try expect(set.count <= entries?.count ?? 0, "a set has no more keys than its text")
  let ids = Set((entries ?? []).compactMap { $0["kid"]?.string })
  try expect(ids.count(where: { set[$0] != nil }) == set.count, "a key is found by the id that the text gives it")
  try expect(set[""] == nil, "no key is without an id")
  for entry in entries ?? [] {
    guard let id = entry["kid"]?.string, let key = set[id] else { continue }
    let kind = entry["kty"]?.string
    try expect(
      entry["d"] != nil || entry["use"] ?? .string("sig") != .string("sig") || key.algorithm == .rs256 && kind == "RSA"
        || key.algorithm == .es256 && kind == "EC" || entries.map { $0.count > 1 } == true,
      "a key has the algorithm of its type")
    try expect(!key.verify(signature: text, over: text), "no key takes foreign bytes for a signature")
  }
}

private func checkToken(_ text: [UInt8]) throws(BrokenProperty) {
  guard let token = CompactJWS(parsing: text) else { return }
  try expect(text.count <= Limits.identityToken, "a token is within its limit")
  let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  try expect(parts.count == 3 && !parts[2].isEmpty, "a token has three parts")
  for part in parts {
    guard let bytes = Base64URL.decode(part) else { throw BrokenProperty(description: "a part is base64url") }
    try expect(Array(Base64URL.encode(bytes).utf8) == Array(part), "a part has one spelling")
  }
  try expect(Base64URL.decode(parts[1]) == token.payload, "the payload is the second part")
  let header = Base64URL.decode(parts[0]).flatMap { try? JSONValue(parsing: $0) }
  try expect(header?["alg"]?.string == token.algorithm, "the algorithm is the header's")
  try expect(
    header?["kid"]?.string == token.kid && header?["typ"]?.string == token.type, "the header is read as it is")
  try expect(header?["crit"] == nil && header?["b64"] == nil, "no extension is taken")
  if let key = SeedKey.verifying, token.isSigned(by: key) {
    let signed = Array(text.dropLast(parts[2].count + 1))
    try expect(signed == Array(SeedKey.signingInput.utf8), "nobody but the owner of a key signs with it")
  }
  try checkJSON(token.payload)
}

/// A key whose private part nobody has any more, and all that it ever signed.
private enum SeedKey {
  static let verifying = (try? JSONWebKeySet(parsing: Array(set.utf8)))?["seed"]
  static let set = """
    {"keys":[{"kid":"seed","kty":"EC","crv":"P-256","x":"ac5OIjUfd-p-KYtdo-z72MOZPgYqOBARQM8D9d8vd04","y":"b8f3b2-1DF8ihtJ22GMZeaRFvRJFsveCTa6XZEeUW8c"}]}
    """
  static let signingInput =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6InNlZWQiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoiYSIsImV4cCI6MjAwMDAwMDAwMH0"
}
