import GatewayConfig
import GatewayIO

extension Command {
  static let schema = Command(
    "schema", "print the JSON Schema of a file, or the reference of all keys", example: "speed-gateway schema tenant",
    .group([
      text(
        "tenant", "JSON Schema (2020-12) of a tenant's file, for editors",
        example: "speed-gateway schema tenant > tenants/\(TenantStart.schemaName)",
        notes: """
          An editor uses it where a tenant's file begins with
            # yaml-language-server: $schema=\(TenantStart.schemaName)
          """
      ) { JSONSchema.tenant },
      text(
        "gateway", "JSON Schema (2020-12) of gateway.yaml, for editors",
        example: "speed-gateway schema gateway > .gateway.schema.json",
        notes: """
          An editor uses it where gateway.yaml begins with
            # yaml-language-server: $schema=.gateway.schema.json
          """
      ) { JSONSchema.gateway },
      text(
        "reference", "every key and every code, as Markdown: docs/CONFIGURATION.md",
        example: "speed-gateway schema reference > docs/CONFIGURATION.md"
      ) { ConfigurationReference.text },
    ]))

  private static func text(
    _ name: String, _ summary: String, example: String, notes: String = "", _ text: @escaping @Sendable () -> String
  ) -> Command {
    Command(
      name, summary, notes: notes, example: example,
      .action { _ in
        try StandardStream.output.write(text())
        return 0
      })
  }
}
