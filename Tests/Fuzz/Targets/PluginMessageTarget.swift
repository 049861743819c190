import GatewayBase
import GatewayPlugins

/// What a plugin's process says to the gateway: the first byte tells how the rest is cut on its way.
func fuzzPluginMessage(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let first = bytes.first else { return }
  let stream = Array(bytes.dropFirst())
  let whole = Heard(stream, every: max(stream.count, 1))
  try expect(whole == Heard(stream, every: Int(first) + 1), "cuts mean nothing")
  for message in whole.messages {
    try expect(message.count <= Limits.pluginFrame, "a message is within its limit")
    try checkMessage(message)
  }
}

private func checkMessage(_ bytes: [UInt8]) throws(BrokenProperty) {
  guard let message = try? MessageCoder.decode(PluginMessage.self, from: bytes) else { return }
  guard let written = try? MessageCoder.encode(message) else {
    throw BrokenProperty(description: "what was read can be written")
  }
  let again = try? MessageCoder.decode(PluginMessage.self, from: written)
  try expect(again == message, "what was read is the same when it is written anew")
  let longer = try? MessageCoder.decode(PluginMessage.self, from: bytes + [0])
  try expect(longer == nil, "nothing follows a message")
  for end in 0..<min(bytes.count, 64) {
    let part = try? MessageCoder.decode(PluginMessage.self, from: Array(bytes[..<end]))
    try expect(part == nil, "a part of a message is none")
  }
}

/// The messages of a stream up to its end, or to the first that can't be.
private struct Heard: Equatable {
  private(set) var messages: [[UInt8]] = []
  private(set) var isBroken = false

  init(_ stream: [UInt8], every step: Int) {
    var reader = FrameReader()
    var start = 0
    for end in cuts(stream.count, every: step) {
      reader.append(stream[start..<end])
      start = end
      do throws(MessageFault) {
        while let message = try reader.next() { messages.append(message) }
      } catch {
        isBroken = true
        return
      }
    }
  }
}
