import GatewayBase
import GatewayConfig
import GatewayIO
import GatewayIdentity
import GatewayServer

extension Command {
  static let explain = Command(
    "explain", "tell what becomes of a request, and by which lines of which files",
    operands: Operands(name: "METHOD URL", help: "the request; the URL's path is taken as it is", count: 2...2),
    options: [.header, .from, .textOrJSON],
    notes: """
      The request goes through the code that serves requests; nothing is sent to a backend. Where a token or
      X-Speed-Request-From is missing, it tells that refusal and goes on as if it had come.
      Exit code 1 where no app and no route takes the request.
      """,
    example: "speed-gateway explain GET https://notes.localhost/v1/notes --header \"Origin: https://x.example.com\"",
    .action(explainRequest))

  @Sendable private static func explainRequest(_ invocation: Invocation) async throws -> Int32 {
    guard let peer = IPAddress(invocation[.from] ?? "127.0.0.1") else { throw UsageError("--from is an IP address") }
    let request: ExplainedRequest
    do {
      request = try ExplainedRequest(
        method: invocation.operands[0], url: invocation.operands[1], headers: invocation.all(.header), peer: peer)
    } catch {
      throw UsageError("\(error)")
    }
    let settings = try Settings(invocation)
    let progress = ProgressBar(noun: "files")
    let files = await TenantCache().files(
      below: settings.configuration.tenants, environment: settings.environment, progress: progress.advance)
    progress.clear()
    let claims = await settings.claims()
    let folder = settings.configuration.tenants
    let history = try? claims.get().history(of: files) { FilePath.join(folder, $0) }
    let explainer = RequestExplainer(
      settings.configuration, files: files, keys: try settings.existingKeys(),
      revocations: await settings.revocations(for: request), history: history ?? ClaimHistory())
    let explanation = try explainer.explain(request)
    let report = ExplanationReport(
      explanation, claims: claims, request: "\(request.method) \(invocation.operands[1])")
    try StandardStream.output.write(invocation[.textOrJSON] == "json" ? report.json : report.text)
    return explanation.isMatched ? 0 : 1
  }
}

extension CommandOption {
  fileprivate static let header = CommandOption(
    "header", "FIELD", "a header of the request, \"Name: value\"; may be given again", isRepeatable: true)
  fileprivate static let from = CommandOption("from", "ADDRESS", "who sends it; by default 127.0.0.1")
}

extension Settings {
  /// What the store knows of revoked tokens, where the request has one; nothing where the store can't be asked.
  fileprivate func revocations(for request: ExplainedRequest) async -> RevocationSet {
    guard request.fields.contains(where: { $0.name.lowercased() == "authorization" }) else { return RevocationSet() }
    return (try? await knownRevocations()) ?? RevocationSet()
  }
}
