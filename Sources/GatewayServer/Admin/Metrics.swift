import GatewayBase
import GatewayPlugins
import GatewayProxy

/// The counters in Prometheus' text form. Labels come from the configuration or from fixed lists, so that no client
/// can make them grow.
struct Metrics: Sendable {
  let workers: @Sendable () -> [WorkerCounters]
  let files: @Sendable () -> [(state: String, count: Int)]
  let plugins: PluginCatalog

  var text: String {
    let workers = workers()
    func sum(_ value: (WorkerCounters) -> UInt64) -> UInt64 { workers.reduce(0) { $0 &+ value($1) } }
    var lines: [String] = []
    func add(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: UInt64)]) {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
      lines += samples.map { "\(name)\($0.labels) \($0.value)" }
    }
    add(
      "speed_answers_total", "counter", "Answers by class of their status.",
      [
        ("{class=\"2xx\"}", sum { $0.answered2xx.value }), ("{class=\"3xx\"}", sum { $0.answered3xx.value }),
        ("{class=\"4xx\"}", sum { $0.answered4xx.value }), ("{class=\"5xx\"}", sum { $0.answered5xx.value }),
      ])
    add("speed_aborted_total", "counter", "Exchanges that ended without an answer.", [("", sum { $0.aborted.value })])
    add("speed_connections_total", "counter", "Connections accepted.", [("", sum { $0.connections.value })])
    add(
      "speed_connections_open", "gauge", "Connections open now.",
      [("", sum { $0.connections.value &- $0.connectionsClosed.value })])
    add(
      "speed_connections_refused_total", "counter", "Connections closed at the limit.",
      [("", sum { $0.connectionsRefused.value })])
    add(
      "speed_upstream_connections_total", "counter", "Connections made to backends.",
      [("", sum { $0.upstreamConnections.value })])
    add("speed_retries_total", "counter", "Requests sent again.", [("", sum { $0.retries.value })])
    add(
      "speed_tenant_files", "gauge", "Tenant files by state.",
      files().map { ("{state=\"\($0.state)\"}", UInt64($0.count)) })
    add(
      "speed_plugin_loaded", "gauge", "Whether a plugin could be loaded.",
      plugins.plugins.map { ("{plugin=\"\($0.name)\"}", $0.provider == nil ? 0 : 1) })
    return lines.joined(separator: "\n") + "\n"
  }
}
