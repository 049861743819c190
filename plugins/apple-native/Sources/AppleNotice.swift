import FoundationEssentials
import ProviderKit

/// The claims of a server-to-server notification. Apple documents `events` as an object and sends a string of JSON; its
/// name lets expect an array.
struct AppleNotice: Decodable {
  let id: String?
  let events: [Event]

  struct Event: Decodable {
    let kind: ProviderEvent.Kind?
    let subject: String?
    /// Unix milliseconds.
    let time: Int64?

    private enum CodingKeys: String, CodingKey {
      case type, sub
      case time = "event_time"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      kind = (try? members.decode(String.self, forKey: .type)).flatMap(Self.kind)
      subject = try? members.decode(String.self, forKey: .sub)
      let number =
        (try? members.decode(Double.self, forKey: .time))
        ?? (try? members.decode(String.self, forKey: .time)).flatMap { Double($0) }
      time = number.flatMap { abs($0) < 1e15 ? Int64($0.rounded(.down)) : nil }
    }

    /// Apple's page spells the end of an account otherwise than its service does.
    private static func kind(_ type: String) -> ProviderEvent.Kind? {
      switch type {
      case "consent-revoked": .consentWithdrawn
      case "account-delete", "account-deleted": .accountDeleted
      case "email-disabled": .emailDisabled
      case "email-enabled": .emailEnabled
      default: nil
      }
    }
  }

  private enum CodingKeys: String, CodingKey { case jti, events }

  /// The claims of a payload; nil where it is no JSON object.
  init?(payload: [UInt8]) {
    guard let claims = try? JSONDecoder().decode(AppleNotice.self, from: Data(payload)) else { return nil }
    self = claims
  }

  init(from decoder: any Decoder) throws {
    let claims = try decoder.container(keyedBy: CodingKeys.self)
    id = try? claims.decode(String.self, forKey: .jti)
    events = (try? claims.decode(Events.self, forKey: .events))?.list ?? []
  }

  /// Any of the three forms.
  private struct Events: Decodable {
    let list: [Event]

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        list = (try? JSONDecoder().decode(Events.self, from: Data(text.utf8)))?.list ?? []
      } else if let several = try? value.decode([Event].self) {
        list = several
      } else {
        list = [try value.decode(Event.self)]
      }
    }
  }
}

/// The body of a notification: `{"payload": "<JWT>"}`, or a form with a field of that name.
enum NoticeBody {
  private struct Members: Decodable {
    let payload: String
  }

  /// - Throws: 400 `invalid_request` where there is no payload.
  static func payload(_ body: [UInt8]) throws(ProviderFailure) -> String {
    if let members = try? JSONDecoder().decode(Members.self, from: Data(body)) { return members.payload }
    // The characters of a JWT are never escaped in a form.
    let field = body.split(separator: UInt8(ascii: "&")).first { $0.starts(with: "payload=".utf8) }
    guard let field else { throw .invalidRequest("Send a payload.") }
    return String(decoding: field.dropFirst("payload=".utf8.count), as: UTF8.self)
  }
}
