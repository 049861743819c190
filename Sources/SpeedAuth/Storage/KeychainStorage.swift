#if canImport(Security)
  import Foundation
  import Security

  /// Keeps the record in the keychain of this device: it is in no backup and moves to no other device, and it can be
  /// read once the device has been unlocked after its start.
  public struct KeychainStorage: SessionStorage {
    private let service: String
    private let account: String

    /// - Parameters:
    ///   - service: the item's service.
    ///   - account: the item's account, for apps that keep several.
    public init(service: String = "SpeedAuth", account: String = "session") {
      self.service = service
      self.account = account
    }

    /// What the keychain refuses with.
    public struct Failure: Error, Sendable, Hashable {
      /// As Security tells it.
      public let status: OSStatus
    }

    private var item: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account,
      ]
    }

    /// The record; nil where there is none yet.
    public func load() throws -> SessionRecord? {
      var query = item
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
      return try RecordText.decode(data)
    }

    /// Replaces the record.
    public func save(_ record: SessionRecord) throws {
      let value: [String: Any] = [
        kSecValueData as String: try RecordText.encode(record),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(item as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(item.merging(value) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw Failure(status: status) }
    }
  }
#endif
