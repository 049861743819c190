import GatewayBase

enum Gateway {
  static func serve(configuration path: String?, environment: [String: String]) async -> Int32 { 78 }
}

enum Sandbox {
  static func run(listen: String, logger: Logger) async throws {}
}
