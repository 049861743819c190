import GatewayBase
import GatewayIO
import GatewayProxy

/// Where a successor of this process asks for the listeners.
final class HandoverDoor: Sendable {
  /// Those who have come, one after another.
  let successors: AsyncStream<UnixChannel>
  private let listener: UnixListener

  /// - Throws: `SystemError` where the path can't be had.
  init(path: String) throws(SystemError) {
    listener = try UnixListener(path: path)
    let (stream, continuation) = AsyncStream.makeStream(of: UnixChannel.self)
    successors = stream
    Thread.start(name: "handover") { [listener] in
      while let channel = listener.accept() { continuation.yield(channel) }
      continuation.finish()
    }
  }

  func close() { listener.close() }

  /// Gives a successor the sockets, and waits until it serves with them.
  ///
  /// - Returns: which of the listeners it serves; nil where it has gone away or wants something else, and nothing has
  ///   changed.
  static func hand(_ workers: WorkerGroup, to channel: UnixChannel) async -> Set<Listener.Name>? {
    guard await Thread.run(name: "handover", { isAsked(channel) }) else { return nil }
    let sockets = await workers.duplicateListeners()
    return await Thread.run(name: "handover") {
      defer { for socket in sockets { Socket.close(socket.descriptor) } }
      do throws(UnixChannel.Failure) {
        for (name, descriptors) in Self.groups(sockets) {
          try channel.send(HandoverMessage.listener(name).text, descriptors)
        }
        try channel.send(HandoverMessage.end.text)
        return try kept(channel)
      } catch {
        return nil
      }
    }
  }

  private static func isAsked(_ channel: UnixChannel) -> Bool {
    guard let (text, descriptors) = try? channel.receive(milliseconds: Limits.handoverAnswer) else { return false }
    descriptors.forEach(Socket.close)
    return HandoverMessage(text) == .take
  }

  /// Reads which listeners the successor serves, up to its word that it does.
  private static func kept(_ channel: UnixChannel) throws(UnixChannel.Failure) -> Set<Listener.Name> {
    var names: Set<Listener.Name> = []
    while true {
      let (text, descriptors) = try channel.receive(milliseconds: Limits.handoverStart)
      descriptors.forEach(Socket.close)
      switch HandoverMessage(text) {
      case .kept(let name): names.insert(name)
      case .serving: return names
      default: break
      }
    }
  }

  /// The sockets by listener, no more at once than fit beside one message.
  private static func groups(
    _ sockets: [(name: Listener.Name, descriptor: Int32)]
  ) -> [(name: Listener.Name, descriptors: [Int32])] {
    var groups: [(name: Listener.Name, descriptors: [Int32])] = []
    for (name, descriptor) in sockets {
      let open = groups.lastIndex { $0.name == name && $0.descriptors.count < UnixChannel.descriptorLimit }
      if let open { groups[open].descriptors.append(descriptor) } else { groups.append((name, [descriptor])) }
    }
    return groups
  }
}
