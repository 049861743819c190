/// Reads Prometheus' text form (exposition format 0.0.4) as strictly as its own linter does.
struct PrometheusText {
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var types: [String: String] = [:]
  /// By name and labels, as they are written.
  private(set) var samples: [String: Double] = [:]
  private var helps: Set<String> = []
  private var family = ""

  /// - Throws: `Fault` with the line that breaks a rule.
  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Fault(description: "the text does not end in a line feed") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      do {
        if line.hasPrefix("# ") { try readComment(line) } else { try readSample(line) }
      } catch let fault as Fault {
        throw Fault(description: "\(fault.description): \(line)")
      }
    }
    try judgeHistograms()
  }

  private mutating func readComment(_ line: Substring) throws {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, Self.isName(words[2]) else { throw Fault(description: "a comment without a name") }
    let name = String(words[2])
    switch words[1] {
    case "HELP":
      guard helps.insert(name).inserted, !words[3].isEmpty else { throw Fault(description: "a second help, or none") }
      family = name
    case "TYPE":
      guard name == family, types[name] == nil else { throw Fault(description: "a type apart from its help") }
      guard ["counter", "gauge", "histogram"].contains(words[3]) else { throw Fault(description: "no such type") }
      types[name] = String(words[3])
      if words[3] == "counter", !name.hasSuffix("_total") { throw Fault(description: "a counter's name") }
      if words[3] != "counter", name.hasSuffix("_total") { throw Fault(description: "a total that is no counter") }
    default: throw Fault(description: "no such comment")
    }
  }

  private mutating func readSample(_ line: Substring) throws {
    guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]), value >= 0 else {
      throw Fault(description: "no value")
    }
    let key = line[..<space]
    let name = key.prefix { $0 != "{" }
    guard Self.isName(name) else { throw Fault(description: "a bad name") }
    let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { family + $0 == name }) else { throw Fault(description: "outside its family") }
    try readLabels(key.dropFirst(name.count))
    guard samples.updateValue(value, forKey: String(key)) == nil else { throw Fault(description: "a sample twice") }
  }

  private func readLabels(_ text: Substring) throws {
    guard !text.isEmpty else { return }
    let pair = try Regex(#"[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*""#)
    var rest = text.dropFirst()
    var names: Set<Substring> = []
    while true {
      guard let match = rest.prefixMatch(of: pair) else { throw Fault(description: "bad labels") }
      guard names.insert(rest[match.range].prefix { $0 != "=" }).inserted else {
        throw Fault(description: "a label twice")
      }
      rest = rest[match.range.upperBound...]
      if rest == "}" { return }
      guard rest.hasPrefix(",") else { throw Fault(description: "bad labels") }
      rest = rest.dropFirst()
    }
  }

  /// Buckets rise with their bounds, and the last of them is the count.
  private func judgeHistograms() throws {
    for (name, type) in types where type == "histogram" {
      for (key, count) in samples where key.hasPrefix("\(name)_count") {
        let labels = key.dropFirst("\(name)_count".count).dropLast()
        let prefix = "\(name)_bucket\(labels),le=\""
        let buckets = samples.filter { $0.key.hasPrefix(prefix) }.map { key, value -> (Double, Double) in
          let bound = key.dropFirst(prefix.count).dropLast(2)
          return (bound == "+Inf" ? .infinity : Double(bound) ?? -1, value)
        }.sorted { $0.0 < $1.0 }
        guard buckets.last?.0 == .infinity, buckets.last?.1 == count, buckets.first.map({ $0.0 > 0 }) == true,
          zip(buckets, buckets.dropFirst()).allSatisfy({ $0.0.1 <= $0.1.1 }),
          samples["\(name)_sum\(labels)}"] != nil
        else { throw Fault(description: "the histogram \(key) does not add up") }
      }
    }
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
  }
}
