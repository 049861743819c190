import GatewayBase
import GatewayIO
import GatewayIdentity

extension Command {
  static let inspectToken = Command(
    "inspect", "tell whether a token is good, or why not, and its claims; exit code 1 where it is not",
    operands: .token(1...1), example: "speed-gateway token inspect - < token.txt",
    .action { invocation in
      let settings = try Settings(invocation)
      let token = try invocation.token()
      let verdict = try settings.verdict(on: token, now: SystemClock().now)
      var revocation = TokenReport.Revocation.none
      if case .success(let good) = verdict { revocation = await settings.revocation(of: good) }
      let report = TokenReport(token, verdict: verdict, revocation: revocation)
      try StandardStream.output.write(report.text)
      return report.isGood ? 0 : 1
    })
}
