/// `docs/CONFIGURATION.md`, made of the tables that read the files.
package enum ConfigurationReference {
  /// The whole document, in Markdown.
  package static var text: String {
    [
      opening,
      section(
        "A tenant",
        "One file an app, in the folder `tenants` or below it: `*.yaml`, names that begin with `.` or `_` left out.",
        TenantKeys.schema),
      section("gateway.yaml", gatewayIntroduction, GatewayKeys.schema, hasVariables: true),
      section("plugin.yaml", "One file a plugin, in a folder of its own below `plugins`.", PluginKeys.schema),
      problems, refusals,
    ].joined(separator: "\n")
  }

  private static let opening = """
    # Configuration

    Every key of every file, and every code that `speed-gateway check` and the gateway's answers have. This text is made
    by `speed-gateway schema reference` of the tables that read the files; a test fails where it is stale.

    - [A tenant](#a-tenant) · [gateway.yaml](#gatewayyaml) · [plugin.yaml](#pluginyaml)
    - [Codes of check](#codes-of-check) · [Codes of answers](#codes-of-answers)

    `speed-gateway tenant new NAME` writes a tenant's file to begin with. An editor that knows the YAML language server
    completes keys and marks faults where a file begins with

        # yaml-language-server: $schema=.tenant.schema.json

    and the schema lies beside it: `tenant new` writes both, and `speed-gateway schema tenant > tenants/.tenant.schema.json`
    (`schema gateway` for gateway.yaml) does it by hand.

    ## How files are read

    A file means what it looks like, or it is refused with its place:

    - Keys are camelCase, each once. An unknown one is an error; one that begins with `x-` is a note and passes.
    - A Boolean is `true` or `false`, a number a plain decimal, both without quotes. A text is taken as it is written.
    - Durations are `250ms`, `30s`, `5m`, `2h`, `7d`; sizes `512B`, `64KiB`, `10MiB`, `2GiB`.
    - No anchors, aliases, `<<`, tags, directives, second documents. UTF-8 without a byte order mark, no tabs for indentation.
    - 256 KiB, 5,000 keys and values, 16 levels at most.
    - A relative path is relative to the file that holds it.
    - A secret never stands in a file: its variable or its file is named.

    In the tables, **!** marks a required key and *later* one that is read and checked but has no effect in this release.

    """

  private static let gatewayIntroduction = """
    One file for the process: `--config`, or `gateway.yaml` in the working folder. With none at all the defaults hold.
    A variable of the environment stands over the key beside it.
    """

  private static func section(
    _ title: String, _ introduction: String, _ schema: MappingSchema, hasVariables: Bool = false
  ) -> String {
    var out = "## \(title)\n\n\(introduction)\n\n"
    let variables = hasVariables ? EnvironmentOverrides.variables(of: schema, []) : [:]
    let names = Dictionary(variables.map { ($0.value.joined(separator: "."), $0.key) }) { first, _ in first }
    table(schema, [], hasVariables ? names : nil, to: &out)
    return out
  }

  /// The table of a mapping, then those of the mappings in it.
  private static func table(
    _ schema: MappingSchema, _ path: [String], _ variables: [String: String]?, to out: inout String
  ) {
    if !path.isEmpty { out += "### `\(path.joined(separator: "."))`\n\n" }
    let hasVariables = variables != nil && schema.rows.contains { variables?[joined(path, $0)] != nil }
    out += "| key | value | | default | example |\(hasVariables ? " variable |" : "")\n"
    out += "|---|---|---|---|---|\(hasVariables ? "---|" : "")\n"
    for row in schema.rows {
      let name = "`\(row.name)`" + (row.isRequired ? " **!**" : "") + (row.activation == .later ? " *later*" : "")
      var cells = [name, value(row.shape), row.summary, fallback(row), row.example.map { "`\($0)`" } ?? ""]
      if hasVariables { cells.append(variables?[joined(path, row)].map { "`\($0)`" } ?? "") }
      out += "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
    }
    out += "\n"
    for rule in schema.rules {
      guard case .one(let names, let isRequired) = rule else { continue }
      let list = names.map { "`\($0)`" }.joined(separator: " and ")
      out += isRequired ? "Exactly one of \(list) is there.\n\n" : "At most one of \(list) is there.\n\n"
    }
    for row in schema.rows { nested(row.shape, path + [row.name], variables, to: &out) }
  }

  private static func nested(
    _ shape: ValueShape, _ path: [String], _ variables: [String: String]?, to out: inout String
  ) {
    var (last, parents) = (path[path.count - 1], path.dropLast())
    switch shape {
    case .mapping(let schema): table(schema, path, variables, to: &out)
    case .list(let item, _, _):
      last += "[]"
      nested(item, Array(parents) + [last], nil, to: &out)
    case .named(let element, _):
      parents.append(last)
      nested(element, Array(parents) + ["NAME"], nil, to: &out)
    case .text, .integer, .boolean, .choice: break
    }
  }

  private static func joined(_ path: [String], _ row: KeyRow) -> String { (path + [row.name]).joined(separator: ".") }

  private static func fallback(_ row: KeyRow) -> String {
    guard let text = row.defaultText else { return "" }
    return row.defaultValue == nil ? text : "`\(text)`"
  }

  private static func value(_ shape: ValueShape) -> String {
    switch shape {
    case .text(let form, _): form
    case .integer(let range): "\(range.lowerBound)–\(range.upperBound)"
    case .boolean: "`true` or `false`"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .list(let item, let minimum, _): "a list" + (minimum > 0 ? ", \(minimum) or more" : "") + ": " + value(item)
    case .mapping(let schema): schema.name
    case .named(let element, _): "names, each with \(value(element))"
    }
  }

  private static func escaped(_ cell: String) -> String { cell.split(separator: "|").joined(separator: "\\|") }

  private static var problems: String {
    var out = """
      ## Codes of check

      As `speed-gateway check`, the log and the admin listener tell them: `file:line:column: error: what is wrong (code)`.
      Errors and conflicts make `check` exit with 1; warnings and hints do not. A file with an error is not loaded: where
      it was good before, that version runs on.


      """
    for code in ProblemCode.allCases {
      let guide = code.guide
      let meaning = guide.meaning.split(separator: "\n").joined(separator: " ")
      out += "### `\(code.rawValue)`\n\n\(meaning)\n\n\(example(guide.example))\n\(guide.mend)\n\n"
    }
    return out
  }

  private static func example(_ example: ProblemGuide.Example) -> String {
    func block(_ text: String) -> String { "```yaml\n\(text)```\n" }
    func lines(_ lines: [String]) -> String { lines.map { "\($0)\n" }.joined() }
    return switch example {
    case .tenant(let text): block(lines(text))
    case .tenants(let one, let other): block("# one file\n" + lines(one) + "# another\n" + lines(other))
    case .gateway(let text), .file(let text): block(text)
    case .words(let text): "For example \(text).\n"
    }
  }

  private static var refusals: String {
    var out = """
      ## Codes of answers

      An answer of the gateway's own has `X-Speed-Error: code` and the body `{"error":"code","message":"…","requestId":"…"}`.
      `speed-gateway explain METHOD URL` tells which of them a request gets, and by which line of which file.


      """
    for guide in RefusalGuide.all {
      out +=
        "### \(guide.statuses) `\(guide.code)`\n\n\(guide.meaning) For example \(guide.example).\n\n\(guide.mend)\n\n"
    }
    while out.hasSuffix("\n\n") { out.removeLast() }
    return out
  }
}
