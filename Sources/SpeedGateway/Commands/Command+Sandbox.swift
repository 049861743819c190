import GatewayBase
import GatewaySandbox

extension Command {
  static let sandbox = Command(
    "sandbox", "a stand-in for Apple on loopback: its key set, identity tokens, and a switch for failures",
    options: [.listen, .issuer], notes: "Requests:\n\(Sandbox.doors)",
    example: "speed-gateway sandbox --listen 127.0.0.1:9400",
    .action { invocation in
      try await Sandbox.run(
        listen: invocation[.listen] ?? "127.0.0.1:9400", issuer: invocation[.issuer], logger: Logger())
      return 0
    })
}

extension CommandOption {
  fileprivate static let listen = CommandOption(
    "listen", "ADDRESS", "loopback address and port; port 0 lets the system pick; by default 127.0.0.1:9400")
  fileprivate static let issuer = CommandOption(
    "issuer", "URL", "the iss of its tokens; by default the host that a token is asked for at")
}
