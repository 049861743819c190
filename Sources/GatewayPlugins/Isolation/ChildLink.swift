import GatewayBase
import Glibc
import ProviderKit

/// The socket to the gateway, in a plugin's process. Where it ends the process ends: nobody needs it then.
final class ChildLink: Sendable {
  private let descriptor: Int32
  private let sending = Locked(())

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Sends a message, and waits until it is with the kernel.
  ///
  /// - Throws: where it is too large. Nothing is sent then.
  func send(_ message: PluginMessage) throws(MessageFault) {
    let bytes = try Frame.bytes(MessageCoder.encode(message))
    sending.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
          unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { _exit(0) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Waits for messages, and hands each to `take`.
  func receive(_ take: (HostMessage) -> Void) -> Never {
    var (reader, part) = (FrameReader(), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { _exit(0) }
      reader.append(part.prefix(count))
      do throws(MessageFault) {
        while let message = try reader.next() { take(try MessageCoder.decode(HostMessage.self, from: message)) }
      } catch {
        _exit(5)
      }
    }
  }
}
