import GatewayIO

// Listeners that go to another process while it and this one serve.
extension WorkerGroup {
  /// Another descriptor of each listening socket that has a name. They are the caller's to close.
  package func duplicateListeners() async -> [(name: Listener.Name, descriptor: Int32)] {
    var copies: [(name: Listener.Name, descriptor: Int32)] = []
    for mailbox in mailboxes {
      copies += await withCheckedContinuation { continuation in
        mailbox.post { continuation.resume(returning: $0.duplicateListeners()) }
      }
    }
    return copies
  }

  /// Takes in no more connections from these listeners, which another process has; none is lost, as the sockets stay.
  package func release(_ names: Set<Listener.Name>) async {
    for mailbox in mailboxes {
      await withCheckedContinuation { continuation in
        mailbox.post {
          $0.release(names)
          continuation.resume()
        }
      }
    }
  }
}
