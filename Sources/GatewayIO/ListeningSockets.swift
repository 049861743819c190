import GatewayBase

/// The sockets of one listening address, made and not yet watched: one or more for each loop.
package struct ListeningSockets: Sendable {
  /// With the port that the kernel picked for port 0.
  package let address: SocketAddress
  package let descriptors: [Int32]

  /// Listens with one socket a loop, so that the kernel spreads connections.
  ///
  /// - Throws: `SystemError` where the address can't be had.
  package init(on address: SocketAddress, loops: Int) throws(SystemError) {
    // A port that another process listens on could be shared with it, and each would get a part of the connections.
    if address.port != 0 { Socket.close(try Socket.listen(on: address, sharesPort: false)) }
    var (bound, descriptors) = (address, [Int32]())
    for _ in 0..<loops {
      do throws(SystemError) {
        descriptors.append(try Socket.listen(on: bound, sharesPort: true))
      } catch {
        descriptors.forEach(Socket.close)
        throw error
      }
      bound = Socket.localAddress(of: descriptors[0]) ?? bound
    }
    self.address = bound
    self.descriptors = descriptors
  }

  /// Takes over sockets that listen already. All of them are served, or what waits in their queues would be lost;
  /// where there are fewer than loops, sockets beside them or further descriptors of them are made.
  ///
  /// - Parameter descriptors: one at least.
  package init(adopting descriptors: [Int32], at address: SocketAddress, loops: Int) {
    var all = descriptors
    for index in 0..<max(0, loops - descriptors.count) {
      let model = descriptors[index % descriptors.count]
      // A group of sockets that share the port takes in one more; of a single one the loops take turns.
      if Socket.sharesPort(model), let socket = try? Socket.listen(on: address, sharesPort: true) {
        all.append(socket)
      } else if let copy = Socket.duplicate(model) {
        all.append(copy)
      }
    }
    self.address = address
    self.descriptors = all
  }

  /// Closes them, where nothing is to become of them.
  package func close() { descriptors.forEach(Socket.close) }
}
