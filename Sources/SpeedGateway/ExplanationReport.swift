import GatewayBase
import GatewayConfig
import GatewayServer

/// How `explain` tells what becomes of a request.
struct ExplanationReport {
  private let explanation: Explanation
  /// Why who had what first is left out; nil where it is not.
  private let unknown: StoredClaims.Unknown?
  private let request: String

  init(_ explanation: Explanation, claims: Result<StoredClaims, StoredClaims.Unknown>, request: String) {
    self.explanation = explanation
    unknown = if case .failure(let unknown) = claims { unknown } else { nil }
    self.request = request
  }

  /// The decisions in their order, each with its place; then what comes of them.
  var text: String {
    var out = "\(request)\n\n"
    out += ProblemReport.printable(
      TextTable.aligned(explanation.steps.map { [$0.name, $0.value, $0.place ?? ($0.isDefault ? "by default" : "")] }))
    out += "\n" + verdict
    if !explanation.head.isEmpty {
      out += "\nthe backend gets\n" + indented(explanation.head)
    }
    if !explanation.answerFields.isEmpty { out += "\nthe answer gets\n" + indented(explanation.answerFields) }
    if let unknown { out += "\n" + unknown.note }
    return out
  }

  private var verdict: String {
    var lines: [String] = []
    for refusal in explanation.refusals {
      lines.append("refused: \(refusal.status) \(refusal.code): \(refusal.message)")
      if let allow = explanation.allow, refusal.status == 405 { lines.append("  Allow: \(allow)") }
      if let assumption = refusal.assumption { lines.append("  with \(assumption):") }
    }
    if let answer = explanation.answer {
      lines.append("answered by the gateway: \(answer.status)")
      lines += answer.fields.map { "  \($0)" }
    }
    if !explanation.head.isEmpty, let backend = explanation.backend {
      lines.append("forwarded to \(backend.name): \(backend.servers.joined(separator: ", "))")
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private func indented(_ lines: [String]) -> String { lines.map { "  \($0)\n" }.joined() }

  var json: String {
    let app = explanation.app.map { app in
      JSONTree.members(["id": .integer(app.id), "name": .text(app.name), "file": .text(app.file)])
    }
    let backend = explanation.backend.map { backend in
      JSONTree.members([
        "name": .text(backend.name), "policy": .text(backend.policy), "servers": .texts(backend.servers),
      ])
    }
    let steps = explanation.steps.map { step in
      JSONTree.members([
        "step": .text(step.name), "value": .text(step.value), "place": .text(orNull: step.place),
        "default": .bool(step.isDefault),
      ])
    }
    let refusals = explanation.refusals.map { refusal in
      JSONTree.members([
        "status": .integer(Int64(refusal.status)), "code": .text(refusal.code), "message": .text(refusal.message),
        "assumption": .text(orNull: refusal.assumption),
      ])
    }
    let answer = explanation.answer.map { answer in
      JSONTree.members(["status": .integer(Int64(answer.status)), "fields": .texts(answer.fields)])
    }
    return JSONTree.members([
      "request": .text(request), "matched": .bool(explanation.isMatched), "app": app ?? .null,
      "route": .text(orNull: explanation.route), "backend": backend ?? .null, "steps": .list(steps),
      "refusals": .list(refusals), "answer": answer ?? .null,
      "forwarded": .bool(!explanation.head.isEmpty), "head": .texts(explanation.head),
      "answerFields": .texts(explanation.answerFields), "claimsUnknown": .text(orNull: unknown?.description),
    ]).pretty
  }
}
