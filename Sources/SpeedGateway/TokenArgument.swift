import GatewayBase
import GatewayIO

extension Invocation {
  /// The token that the operand is, or that `-` reads from standard input.
  func token() throws -> [UInt8] {
    let text = operands.first ?? ""
    let token = text == "-" ? try StandardStream.input.readLine(limit: Limits.identityToken) : Array(text.utf8)
    guard !token.isEmpty else { throw CommandFailure("there is no token") }
    return token
  }
}
