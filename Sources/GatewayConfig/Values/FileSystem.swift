import Glibc

/// The few calls that reading configuration takes: bounded reads of regular files, and the names in a folder.
package enum FileSystem {
  /// Why a file or folder can't be read, in words.
  package struct Fault: Error, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  /// The bytes of a regular file; one more than `limit` where it is longer.
  ///
  /// Anything but a regular file is refused before a byte is read: a pipe would block for ever.
  package static func read(_ path: String, limit: Int) throws(Fault) -> [UInt8] {
    try readStamped(path, limit: limit).bytes
  }

  /// The same, with the stamp of the file as of before it was read.
  package static func readStamped(_ path: String, limit: Int) throws(Fault) -> (bytes: [UInt8], stamp: FileStamp) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw lastFault }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw lastFault }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Fault(reason: "it is not a regular file") }
    let capacity = min(limit, max(0, Int(status.st_size))) + 1
    var failure: Fault?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        let result = unsafe Glibc.read(descriptor, buffer.baseAddress! + count, capacity - count)
        if result < 0 && errno == EINTR { continue }
        if result < 0 { failure = lastFault }
        if result <= 0 { break }
        count += result
      }
    }
    if let failure { throw failure }
    return (bytes, FileStamp(status))
  }

  /// What a path leads to, with what it takes to notice a change.
  package enum Look: Sendable, Equatable {
    case file(FileStamp)
    case folder(FolderIdentity, FileStamp)
    /// What is neither, such as a pipe.
    case other(FileStamp)
    case absent
    /// It can't be told now, so that it must not be taken for absent.
    case fault(String)
  }

  /// The folder itself, whatever path leads to it.
  package struct FolderIdentity: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64

    init(_ status: stat) { (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  package static func look(at path: String) -> Look {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .absent : .fault(lastFault.reason)
    }
    switch kind(status) {
    case .file: return .file(FileStamp(status))
    case .folder: return .folder(FolderIdentity(status), FileStamp(status))
    default: return .other(FileStamp(status))
    }
  }

  /// Whether a name of a folder is known to be a link, a folder or something else without a look at it.
  package enum EntryKind: Sendable { case file, folder, link, unknown }

  /// What a symbolic link says; nil for what is none.
  package static func target(ofLink path: String) -> String? {
    let target = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      count = unsafe max(0, readlink(path, buffer.baseAddress!, buffer.count))
    }
    return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
  }

  /// The one name of what a path leads to, without links and without `..`; nil where it leads nowhere.
  package static func canonical(_ path: String) -> String? {
    guard let result = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(result) }
    return unsafe String(cString: result)
  }

  /// What a path leads to, links followed.
  enum Kind { case file, folder, absent, other }

  /// - Throws: where that can't be told, so that it must not be taken for absent.
  static func kind(of path: String) throws(Fault) -> Kind {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return kind(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw lastFault }
    return .absent
  }

  /// Whether a path leads to a regular file.
  package static func isFile(_ path: String) throws(Fault) -> Bool { try kind(of: path) == .file }

  /// The folders above a folder, up to the root of all. A link among the folder's names that leads to one of them leads
  /// back to the folder, by way of all else that is there.
  package static func foldersAbove(_ path: String) -> Set<FolderIdentity> {
    var found: Set<FolderIdentity> = []
    var place = FilePath.join(path, "..")
    while case .folder(let identity, _) = look(at: place), found.insert(identity).inserted {
      place = FilePath.join(place, "..")
    }
    return found
  }

  /// A number for the folder itself, whatever path led to it: finds loops of links.
  static func identity(of path: String) throws(Fault) -> FolderIdentity {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw lastFault }
    return FolderIdentity(status)
  }

  /// The names in a folder, sorted by their bytes: all of them, or an error.
  static func names(in folder: String) throws(Fault) -> [String] { try entries(in: folder).map(\.name) }

  /// The same, with what the file system tells of each along with its name.
  package static func entries(in folder: String) throws(Fault) -> [(name: String, kind: EntryKind)] {
    guard let stream = unsafe opendir(folder) else { throw lastFault }
    defer { unsafe closedir(stream) }
    var entries: [(name: String, kind: EntryKind)] = []
    while true {
      // The end of the folder and an error look alike but for `errno`.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw lastFault }
        break
      }
      let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { entries.append((name, unsafe kind(ofEntry: entry.pointee.d_type))) }
    }
    return entries.sorted { FilePath.precedes($0.name, $1.name) }
  }

  private static func kind(ofEntry type: UInt8) -> EntryKind {
    switch Int(type) {
    case DT_REG: .file
    case DT_DIR: .folder
    case DT_LNK: .link
    default: .unknown
    }
  }

  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  private static var lastFault: Fault {
    switch errno {
    case ENOENT: Fault(reason: "it is not there")
    case EACCES, EPERM: Fault(reason: "the gateway may not read it")
    case EISDIR: Fault(reason: "it is a folder")
    case let code: Fault(reason: unsafe String(cString: strerror(code)))
    }
  }
}
