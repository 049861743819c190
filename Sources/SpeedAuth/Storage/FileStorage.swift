import Foundation

/// Keeps the record in a folder that its owner alone can enter: for command-line tools and for systems without a
/// keychain.
public struct FileStorage: SessionStorage {
  private let folder: URL
  private var file: URL { folder.appending(path: "session.json") }

  /// - Parameter folder: the client's own; it is made where it is missing, and closed to everybody else.
  public init(_ folder: URL) {
    self.folder = folder
  }

  /// The record; nil where there is no file.
  public func load() throws -> SessionRecord? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try RecordText.decode(try Data(contentsOf: file))
  }

  /// Replaces the file, wholly or not at all.
  public func save(_ record: SessionRecord) throws {
    let manager = FileManager.default
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    // First the folder: what is in it is nobody else's then, whatever its own mode is for a moment.
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    try RecordText.encode(record).write(to: file, options: .atomic)
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }
}
