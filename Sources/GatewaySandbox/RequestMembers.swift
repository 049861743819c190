import GatewayBase

/// The members of a JSON body, read by name and type. Refusals name the member and never repeat a value.
struct RequestMembers {
  private let members: [String: JSONValue]

  /// - Parameters:
  ///   - body: a JSON object; nothing at all is an empty one.
  ///   - known: the names that may occur. Another one is refused, as a misspelt wish would go unnoticed.
  /// - Throws: 400 `invalid_request`.
  init(_ body: [UInt8], known: [String]) throws(Refusal) {
    if body.isEmpty {
      members = [:]
      return
    }
    let json: JSONValue
    do { json = try JSONValue(parsing: body) } catch {
      throw .invalidRequest("The body is no JSON: \(error.reason.rawValue), after \(error.offset) bytes.")
    }
    guard let members = json.object else { throw .invalidRequest("The body must be a JSON object.") }
    guard members.keys.allSatisfy(known.contains) else {
      let names = known.isEmpty ? "none" : known.joined(separator: ", ")
      throw .invalidRequest("The body has an unknown member. Known: \(names).")
    }
    self.members = members
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  func string(_ name: String) throws(Refusal) -> String? {
    guard let value = members[name] else { return nil }
    guard let string = value.string else { throw .invalidRequest("\(name) must be a string.") }
    return string
  }

  func integer(_ name: String) throws(Refusal) -> Int64? {
    guard let value = members[name] else { return nil }
    guard let integer = value.integer else { throw .invalidRequest("\(name) must be an integer.") }
    return integer
  }

  /// A flag in either of the forms that Apple has used: a boolean, or its name as a string.
  func flag(_ name: String) throws(Refusal) -> JSONValue? {
    guard let value = members[name] else { return nil }
    guard value.bool != nil || value.string == "true" || value.string == "false" else {
      throw .invalidRequest("\(name) must be a boolean, or \"true\" or \"false\".")
    }
    return value
  }

  func object(_ name: String) throws(Refusal) -> [String: JSONValue]? {
    guard let value = members[name] else { return nil }
    guard let object = value.object else { throw .invalidRequest("\(name) must be an object.") }
    return object
  }

  func strings(_ name: String) throws(Refusal) -> [String]? {
    guard let value = members[name] else { return nil }
    guard let strings = value.array?.compactMap(\.string), strings.count == value.array?.count else {
      throw .invalidRequest("\(name) must be an array of strings.")
    }
    return strings
  }

  /// One of the names of an enumeration.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, as type: Choice.Type
  ) throws(Refusal) -> Choice? {
    guard let text = try string(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidRequest("\(name) must be one of: \(names).")
    }
    return choice
  }
}
