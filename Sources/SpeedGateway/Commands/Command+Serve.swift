import GatewayServer

extension Command {
  static let serve = Command(
    "serve", "run the gateway until SIGTERM or SIGINT, then let running requests finish",
    example: "speed-gateway serve --config gateway.yaml",
    .action { invocation in
      await Gateway.serve(
        configuration: invocation.configurationPath, environment: invocation.environment, release: Release.version)
    })
}
