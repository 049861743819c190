import CLinux
import GatewayBase
import GatewayIO
import Glibc

/// One process of an isolated plugin: started, talked to through one socket that never makes anybody wait, and ended.
/// Used by one thread.
final class PluginProcess {
  private let identifier: pid_t
  /// Readable when there is a message or the process has ended.
  let socket: Int32
  private var reader = FrameReader()
  private var unsent: [UInt8] = []
  /// Whether it has closed its end of the socket, as a process does that ends.
  private var isEnding = false
  private var part = [UInt8](repeating: 0, count: 1 << 16)

  /// Starts the process of a library. It gets no environment but the loader's search path, and no descriptor but its end
  /// of the socket.
  init(library: IsolatedLibrary, host: PluginHost) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(call: "socketpair", number: errno) }
    defer { close(ends[1]) }
    var environment = ["SWIFT_BACKTRACE": "enable=no"]
    environment["LD_LIBRARY_PATH"] = Environment.variables["LD_LIBRARY_PATH"]
    var spawn = Spawn(
      [
        "speed-gateway", PluginChild.command, library.path, library.name, library.version, String(library.memory),
      ], program: host.executable, environment: environment,
      streams: [Int32?](repeating: nil, count: Int(PluginChild.descriptor)) + [ends[1]])
    spawn.leadsGroup = true
    spawn.folder = "/"
    do throws(SystemError) {
      identifier = try spawn.start()
    } catch {
      close(ends[0])
      throw error
    }
    clinux_make_private(ends[0])
    socket = ends[0]
  }

  deinit { close(socket) }

  /// Whether bytes wait to be sent.
  var wantsToSend: Bool { !unsent.isEmpty }

  /// Adds a message to what is sent.
  ///
  /// - Throws: where the process does not take what it was sent before.
  func send(_ bytes: [UInt8]) throws(MessageFault) {
    unsent += bytes
    try flush()
    guard unsent.count <= 2 * Limits.pluginFrame else { throw MessageFault("it takes no messages") }
  }

  /// Sends what it takes now.
  func flush() throws(MessageFault) {
    while !unsent.isEmpty {
      let count = unsafe unsent.withUnsafeBytes { unsafe clinux_send(socket, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        throw MessageFault("its socket has ended")
      }
      unsent.removeFirst(count)
    }
  }

  /// The messages that are there, decoded; as many as one read brings, so that a flood does not hold the thread.
  ///
  /// - Throws: where the socket has ended, or what came is no message.
  func receive() throws(MessageFault) -> [PluginMessage] {
    let count = unsafe part.withUnsafeMutableBytes { unsafe clinux_receive(socket, $0.baseAddress, $0.count) }
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    guard count > 0 else {
      isEnding = true
      throw MessageFault("it has ended")
    }
    reader.append(part.prefix(count))
    var messages: [PluginMessage] = []
    while let message = try reader.next() {
      messages.append(try MessageCoder.decode(PluginMessage.self, from: message))
    }
    return messages
  }

  /// Ends the process and all that it started.
  ///
  /// - Returns: how it ended.
  func end() -> String {
    var (status, patience) = (0 as Int32, isEnding ? 200 : 0)
    var ended = unsafe waitpid(identifier, &status, WNOHANG)
    while ended == 0, patience > 0 {
      usleep(1000)
      patience -= 1
      ended = unsafe waitpid(identifier, &status, WNOHANG)
    }
    if ended == 0 {
      _ = Glibc.kill(-identifier, SIGKILL)
      while unsafe waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      return "ended by the gateway"
    }
    return ProcessEnd.text(ofStatus: status)
  }
}

/// What is loaded into a process of its own.
struct IsolatedLibrary: Sendable {
  let path: String
  let name: String
  let version: String
  /// Bytes of memory that the process may have.
  let memory: UInt64
  /// Milliseconds that a call may take.
  let timeout: UInt64
}
