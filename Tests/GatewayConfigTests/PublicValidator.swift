import Foundation
import GatewayBase

@testable import GatewayConfig

/// The validator of JSON Schema that comes with Python (`python3-jsonschema`).
enum PublicValidator {
  static let isThere = (try? run("import jsonschema; jsonschema.Draft202012Validator", input: "")) != nil

  /// Whether each document is valid by a schema, which itself is judged first.
  static func verdicts(_ documents: [JSONTree], schema: String) throws -> [Bool] {
    let script = """
      import json, sys
      from jsonschema import Draft202012Validator
      schema, documents = json.load(sys.stdin)
      Draft202012Validator.check_schema(schema)
      validator = Draft202012Validator(schema)
      print(json.dumps([validator.is_valid(document) for document in documents]))
      """
    let answer = try run(script, input: "[\(schema),\(JSONTree.list(documents).pretty)]")
    let value = try JSONValue(parsing: Array(answer.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
    return (value.array ?? []).compactMap(\.bool)
  }

  private struct Failure: Error { let text: String }

  private static func run(_ script: String, input: String) throws -> String {
    let folder = try TemporaryFolder()
    let path = try folder.write("input.json", input)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(text: String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self))
    }
    return text
  }
}

extension JSONTree {
  /// A file as an editor's schema sees it: values typed as YAML 1.2 guesses them (its core schema).
  init(asEditorsRead node: Node) {
    switch node.content {
    case .sequence(let items): self = .list(items.map(JSONTree.init(asEditorsRead:)))
    case .mapping(let entries):
      self = .object(entries.map { Member($0.key, JSONTree(asEditorsRead: $0.value)) })
    case .scalar(let text, let isPlain):
      guard isPlain else {
        self = .text(text)
        return
      }
      switch text {
      case "", "~", "null", "Null", "NULL": self = .null
      case "true", "True", "TRUE": self = .bool(true)
      case "false", "False", "FALSE": self = .bool(false)
      case _ where text.wholeMatch(of: /[-+]?[0-9]+/) != nil: self = Int64(text).map(JSONTree.integer) ?? .text(text)
      // A number, but no integer: a Boolean fails wherever one is due, as the number would.
      case _ where text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil: self = .bool(true)
      default: self = .text(text)
      }
    }
  }

  /// A whole file; nil where it is not YAML of the dialect.
  static func document(_ yaml: String) -> JSONTree? {
    YAMLReader.read(Array(yaml.utf8), Diagnostics(file: "")).map(JSONTree.init(asEditorsRead:))
  }
}
