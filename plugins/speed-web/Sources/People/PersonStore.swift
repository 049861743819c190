import ProviderKit

/// The accounts: a record each, and one for each address that says whose it is.
struct PersonStore: Sendable {
  /// Attempts to change a record that others change too.
  private static let attempts = 8

  let records: Records
  let services: any ProviderServices

  func person(_ id: String) async throws(ProviderFailure) -> Stored<Person>? {
    try await records.read(Self.key(id), as: Person.self)
  }

  func person(at email: EmailAddress) async throws(ProviderFailure) -> Stored<Person>? {
    let id = try await records.read(await addressKey(email), as: String.self)
    // Of nobody too something is read, so that the time does not tell.
    return try await person(id?.value ?? "nobody")
  }

  /// The name of the record that says whose an address is.
  func addressKey(_ email: EmailAddress) async -> String { "email/" + (await services.digest(email.key)) }

  static func key(_ id: String) -> String { "person/" + id }

  /// The changes that make an account, with the address that is now its own.
  func creation(of person: Person, at email: EmailAddress) async -> [RecordChange] {
    [
      .put(await addressKey(email), person.id, if: .absent), .put(Self.key(person.id), person, if: .absent),
    ]
  }

  /// Changes an account as it is now, however often others do so at the same time.
  ///
  /// - Parameter change: returns false where nothing is to be changed.
  /// - Returns: the account after it; nil where there is none.
  @discardableResult
  func update(_ id: String, _ change: (inout Person) -> Bool) async throws(ProviderFailure) -> Person? {
    for _ in 0..<Self.attempts {
      guard let found = try await person(id) else { return nil }
      var person = found.value
      guard change(&person) else { return person }
      if try await records.commit([.put(found.key, person, if: .version(found.version))]) { return person }
    }
    throw .contended
  }
}

extension Person {
  /// What the account proves to an app.
  var identity: VerifiedIdentity {
    VerifiedIdentity(
      issuer: SpeedWebProvider.issuer, subject: id, email: email, emailVerified: true, fullName: name, replayKeys: [],
      isShared: true)
  }
}
