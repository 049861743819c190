import GatewayBase
import GatewayIO
import GatewayTesting
import Glibc
import Testing

@Suite struct UnixChannelTests {
  /// Both ends of a connection, and the listener that made it.
  private func pair(_ folder: TemporaryFolder) throws -> (UnixListener, UnixChannel, UnixChannel) {
    let listener = try UnixListener(path: folder.path("door"))
    let accepted = Parallel.start(1) { _ in listener.accept() }
    let near = try UnixChannel.connect(to: folder.path("door"))
    let far = try #require(try accepted.wait()[0])
    return (listener, near, far)
  }

  /// Ends a listener that nobody waits at.
  private func end(_ listener: UnixListener) throws {
    let waiting = Parallel.start(1) { _ in listener.accept() == nil }
    listener.close()
    #expect(try waiting.wait() == [true])
  }

  @Test("Messages keep their borders, and descriptors arrive beside theirs as ones of the same socket")
  func messages() throws {
    let folder = try TemporaryFolder()
    let (listener, near, far) = try pair(folder)
    let socket = try Socket.listen(on: .loopback(port: 0), sharesPort: true)
    try near.send("one")
    try near.send("two", [socket, socket])
    #expect(try far.receive(milliseconds: 5000).text == "one")
    let (text, descriptors) = try far.receive(milliseconds: 5000)
    #expect(text == "two" && descriptors.count == 2)
    for descriptor in descriptors {
      #expect(descriptor != socket)
      #expect(Socket.localAddress(of: descriptor) == Socket.localAddress(of: socket))
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
      Socket.close(descriptor)
    }
    Socket.close(socket)
    try end(listener)
  }

  @Test("Silence and a closed end are told from a message")
  func silence() throws {
    let folder = try TemporaryFolder()
    let (listener, near, far) = try pair(folder)
    #expect(throws: UnixChannel.Failure.self) { try near.receive(milliseconds: 10) }
    _ = consume far
    #expect(throws: UnixChannel.Failure.self) { try near.receive(milliseconds: 20_000) }
    try end(listener)
  }

  @Test("The path is for its owner alone, takes the place of what a dead process left, and goes with the listener")
  func path() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("door")
    let first = try UnixListener(path: path)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let second = try UnixListener(path: path)
    // The first must not take the second's path with it.
    try end(first)
    #expect(unsafe access(path, F_OK) == 0)
    try end(second)
    #expect(unsafe access(path, F_OK) != 0)
    #expect(throws: UnixChannel.Failure.self) { try UnixChannel.connect(to: path) }
  }

  @Test("A path that does not fit into the system's form is an error, and never cut")
  func longPath() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(String(repeating: "x", count: 100))
    #expect(throws: SystemError.self) { try UnixListener(path: path) }
    #expect(throws: UnixChannel.Failure.self) { try UnixChannel.connect(to: path) }
  }
}

@Suite struct ListeningSocketsTests {
  private let address = SocketAddress.loopback(port: 0)

  @Test("Every loop has a socket, all on the port that the kernel picked for the first")
  func opened() throws {
    let sockets = try ListeningSockets(on: address, loops: 3)
    defer { sockets.close() }
    #expect(sockets.descriptors.count == 3 && sockets.address.port != 0)
    for descriptor in sockets.descriptors { #expect(Socket.localAddress(of: descriptor) == sockets.address) }
  }

  @Test("A port that is listened on already is refused, though it could be shared")
  func occupied() throws {
    let sockets = try ListeningSockets(on: address, loops: 1)
    defer { sockets.close() }
    #expect(throws: SystemError.self) { try ListeningSockets(on: sockets.address, loops: 1) }
  }

  @Test("More sockets than loops are all kept, and fewer are made up for", arguments: [1, 2, 4])
  func adopted(loops: Int) throws {
    let opened = try ListeningSockets(on: address, loops: 2)
    let adopted = ListeningSockets(adopting: opened.descriptors, at: opened.address, loops: loops)
    defer { adopted.close() }
    #expect(adopted.descriptors.count == max(2, loops))
    for descriptor in adopted.descriptors { #expect(Socket.localAddress(of: descriptor) == opened.address) }
  }

  @Test("A socket that shares its port with none is shared by the loops itself")
  func single() throws {
    let socket = try Socket.listen(on: address, sharesPort: false)
    let bound = try #require(Socket.localAddress(of: socket))
    let adopted = ListeningSockets(adopting: [socket], at: bound, loops: 3)
    defer { adopted.close() }
    #expect(adopted.descriptors.count == 3)
    let client = try LoopbackConnection(port: bound.port)
    defer { client.close() }
    // All of them have the one queue.
    guard case .connection(let accepted, _) = Socket.accept(from: adopted.descriptors[2]) else {
      Issue.record("nothing in the queue")
      return
    }
    Socket.close(accepted)
  }
}

@Suite struct ServiceManagerTests {
  @Test("The manager is told what is, in datagrams of its form", arguments: [false, true])
  func messages(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@speed-test-\(getpid())" : folder.path("notify")
    let receiver = try DatagramReceiver(name)
    let manager = ServiceManager(["NOTIFY_SOCKET": name])
    manager.tellReady()
    #expect(receiver.next() == "READY=1\nMAINPID=\(getpid())\nSTATUS=Serving")
    manager.tellReloading()
    #expect(receiver.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
    manager.tellStopping()
    #expect(receiver.next() == "STOPPING=1\nSTATUS=Draining")
  }

  @Test("Without a manager, or with one that does not listen, nothing happens")
  func nobody() {
    ServiceManager([:]).tellReady()
    ServiceManager(["NOTIFY_SOCKET": "/nonexistent/notify"]).tellReady()
    ServiceManager(["NOTIFY_SOCKET": String(repeating: "x", count: 500)]).tellReady()
    ServiceManager(["NOTIFY_SOCKET": ""]).tellReady()
  }

  @Test(
    "Sockets that are meant for another process are left alone",
    arguments: [[:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_PID": "\(getpid())"]])
  func othersSockets(_ environment: [String: String]) {
    #expect(ActivatedSockets.take(environment).sockets.isEmpty)
  }
}
