import GatewayBase
import GatewayIO
import GatewayProxy

/// The process that serves the listeners so far, as its successor sees it.
struct Predecessor {
  private let channel: UnixChannel
  /// What it listens with.
  let offers: [ListenerPlan.Offer]

  /// Asks whoever listens at the path for its sockets; nil where there is nobody who gives them.
  ///
  /// Blocks for some seconds at most.
  static func ask(at path: String, logger: Logger) -> Predecessor? {
    do throws(UnixChannel.Failure) {
      let channel = try UnixChannel.connect(to: path)
      try channel.send(HandoverMessage.take.text)
      return Predecessor(channel: channel, offers: try offers(channel))
    } catch {
      switch error {
      case .nobody: break
      case .stranger: logger.warning("the hand-over socket is another user's", .text("path", path))
      case .silent: logger.warning("the running gateway hands nothing over", .text("path", path))
      case .system(let reason):
        logger.warning("the running gateway can't be asked", .text("path", path), .text("reason", "\(reason)"))
      }
      return nil
    }
  }

  private static func offers(_ channel: UnixChannel) throws(UnixChannel.Failure) -> [ListenerPlan.Offer] {
    var offers: [ListenerPlan.Offer] = []
    while true {
      let (text, descriptors) = try channel.receive(milliseconds: Limits.handoverAnswer)
      switch HandoverMessage(text) {
      case .end: return offers
      case .listener(let name): add(descriptors, of: name, to: &offers)
      default: descriptors.forEach(Socket.close)
      }
    }
  }

  private static func add(_ descriptors: [Int32], of name: Listener.Name, to offers: inout [ListenerPlan.Offer]) {
    for descriptor in descriptors {
      guard let address = Socket.adopt(listener: descriptor) else {
        Socket.close(descriptor)
        continue
      }
      if let index = offers.firstIndex(where: { $0.origin == .predecessor(name) }) {
        offers[index].descriptors.append(descriptor)
      } else {
        offers.append(ListenerPlan.Offer(origin: .predecessor(name), address: address, descriptors: [descriptor]))
      }
    }
  }

  /// Tells it that this process serves, and with which of its sockets; it drains from now on.
  ///
  /// - Throws: where it did not hear that. It goes on serving, beside this process.
  func relieve(keeping names: [Listener.Name]) throws(UnixChannel.Failure) {
    for name in names { try channel.send(HandoverMessage.kept(name).text) }
    try channel.send(HandoverMessage.serving.text)
    _ = try channel.receive(milliseconds: Limits.handoverAnswer)
  }
}
