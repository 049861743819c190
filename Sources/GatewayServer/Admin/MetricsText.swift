import GatewayProxy

/// Builds Prometheus' text form (exposition format 0.0.4): a family is its help, its type and its samples, in one piece.
struct MetricsText {
  enum Kind: String { case counter, gauge, histogram }

  /// A sample's labels as they are written, `{app="1"}`, and its value.
  typealias Sample = (labels: String, value: UInt64)

  private(set) var text = ""

  /// Begins a family; its samples follow.
  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    begin(name, kind, help)
    for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: UInt64) {
    add(name, kind, help, [("", value)])
  }

  /// A value in seconds, given in microseconds.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, microseconds: UInt64) {
    begin(name, kind, help)
    text += "\(name) \(Self.seconds(microseconds))\n"
  }

  /// Durations in the classes of `LatencyBuckets`, for each value of one label.
  mutating func add(
    _ name: String, _ help: String, by label: String,
    _ series: [(value: String, counts: [UInt64], sum: UInt64)]
  ) {
    begin(name, .histogram, help)
    for (value, counts, sum) in series {
      let own = "\(label)=\"\(Self.escaped(value))\""
      var total: UInt64 = 0
      for (index, count) in counts.enumerated() {
        total &+= count
        let bound = index < LatencyBuckets.bounds.count ? Self.seconds(LatencyBuckets.bounds[index]) : "+Inf"
        text += "\(name)_bucket{\(own),le=\"\(bound)\"} \(total)\n"
      }
      text += "\(name)_sum{\(own)} \(Self.seconds(sum))\n\(name)_count{\(own)} \(total)\n"
    }
  }

  /// `{name="value",…}`.
  static func labels(_ pairs: (name: String, value: String)...) -> String { labels(pairs) }

  static func labels(_ pairs: [(name: String, value: String)]) -> String {
    "{" + pairs.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  /// By scalars: a line feed that belongs to a character with the sign before it ends a line all the same.
  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Microseconds as decimal seconds, without a rounding.
  private static func seconds(_ microseconds: UInt64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest > 0 else { return String(whole) }
    var digits = String(rest + 1_000_000).dropFirst()
    while digits.last == "0" { digits = digits.dropLast() }
    return "\(whole).\(digits)"
  }
}
