import GatewayBase
import GatewayIO
import GatewayOutbound
import GatewayPlugins
import GatewayProxy

/// The counters in Prometheus' text form. Labels come from the configuration or from fixed lists, so that no client
/// can make them grow (GW-111).
struct Metrics: Sendable {
  let workers: @Sendable () -> [WorkerCounters]
  /// The labels of apps in use.
  var apps: @Sendable () -> [(label: AppLabel, text: String)] = { [] }
  let files: @Sendable () -> [(state: String, count: Int)]
  let plugins: @Sendable () -> PluginCatalog
  /// Lines of the access log that were lost.
  var droppedLines: @Sendable () -> UInt64 = { 0 }
  var version = ""
  let startedAt = SystemClock().now
  var backends: @Sendable () -> [BackendState] = { [] }
  /// Queued work of providers.
  var jobs: ProviderJobFigures?
  /// What became of letters; nil where no mail is sent.
  var mail: @Sendable () -> Mailer.Figures? = { nil }

  var text: String {
    var text = MetricsText()
    let workers = workers()
    addRequests(workers.map(\.apps), to: &text)
    addRefusals(workers, to: &text)
    addConnections(workers, to: &text)
    text.add(
      "speed_access_log_dropped_total", .counter, "Lines of the access log that were lost.", droppedLines())
    text.add(
      "speed_tenant_files", .gauge, "Tenant files by state.",
      files().map { (MetricsText.labels(("state", $0.state)), UInt64($0.count)) })
    let plugins = plugins().plugins
    text.add(
      "speed_plugin_loaded", .gauge, "Whether a plugin could be loaded.",
      plugins.map { (MetricsText.labels(("plugin", $0.name)), $0.provider == nil ? 0 : 1) })
    text.add(
      "speed_plugin_rejected", .gauge, "Whether a changed plugin can't be used, so that its last good version serves.",
      plugins.map { (MetricsText.labels(("plugin", $0.name)), $0.rejection == nil ? 0 : 1) })
    let processes = plugins.compactMap { plugin in
      plugin.process.map { (MetricsText.labels(("plugin", plugin.name)), $0) }
    }
    text.add(
      "speed_plugin_process_up", .gauge, "Whether the process of an isolated plugin serves.",
      processes.map { ($0, $1.isUp ? 1 : 0) })
    text.add(
      "speed_plugin_process_restarts_total", .counter, "Starts of an isolated plugin's process but for the first.",
      processes.map { ($0, $1.restarts) })
    addBackends(to: &text)
    jobs?.add(to: &text, now: SystemClock().now)
    if let mail = mail() { text.add(mail) }
    addProcess(to: &text)
    return text.text
  }

  private func addRequests(_ loops: [AppCells], to text: inout MetricsText) {
    let apps = apps()
    func sum(_ count: AppCells.Count, _ label: AppLabel) -> UInt64 {
      loops.reduce(0) { $0 &+ $1.value(count, label) }
    }
    let classes: [(String, AppCells.Count)] = [
      ("1xx", .answered1xx), ("2xx", .answered2xx), ("3xx", .answered3xx), ("4xx", .answered4xx),
      ("5xx", .answered5xx), ("none", .unanswered),
    ]
    text.add(
      "speed_requests_total", .counter, "Requests by the class of the answer's status; none: no answer was begun.",
      apps.flatMap { app in
        classes.map { (MetricsText.labels(("app", app.text), ("class", $0.0)), sum($0.1, app.label)) }
      })
    for (name, help, count) in [
      ("speed_request_bytes_total", "Bytes of requests, head and body.", AppCells.Count.received),
      ("speed_response_bytes_total", "Bytes of answers, head and body.", .sent),
      ("speed_retries_total", "Requests that were sent to a backend again.", .retries),
    ] {
      text.add(name, .counter, help, apps.map { (MetricsText.labels(("app", $0.text)), sum(count, $0.label)) })
    }
    for (name, help, timing) in [
      ("speed_request_duration_seconds", "From a request's head to its answer's last byte.", AppCells.Timing.duration),
      ("speed_upstream_first_byte_seconds", "From an attempt at a server to its answer's head.", .firstByte),
    ] {
      text.add(name, help, by: "app", apps.compactMap { histogram(loops, timing, $0.label, $0.text) })
    }
  }

  /// Nil where there is nothing yet: most apps of a large gateway are quiet.
  private func histogram(
    _ loops: [AppCells], _ timing: AppCells.Timing, _ label: AppLabel, _ app: String
  ) -> (value: String, counts: [UInt64], sum: UInt64)? {
    var counts = [UInt64](repeating: 0, count: LatencyBuckets.count)
    var sum: UInt64 = 0
    for loop in loops {
      let part = loop.values(timing, label)
      for index in counts.indices { counts[index] &+= part.counts[index] }
      sum &+= part.sum
    }
    return counts.allSatisfy { $0 == 0 } ? nil : (app, counts, sum)
  }

  private func addRefusals(_ workers: [WorkerCounters], to text: inout MetricsText) {
    let counts = workers.map(\.refusalCounts)
    let samples = RefusalCode.texts.enumerated().dropFirst().map { index, code in
      (MetricsText.labels(("code", code)), counts.reduce(0) { $0 &+ $1[index] })
    }
    text.add("speed_refusals_total", .counter, "Answers that the gateway refused with, by code.", samples)
    text.add(
      "speed_token_checks_total", .counter,
      "Bearer tokens: remembered, checked and good, checked and no good.",
      [
        (MetricsText.labels(("result", "known")), workers.sum { $0.tokensKnown.value }),
        (MetricsText.labels(("result", "admitted")), workers.sum { $0.tokensAdmitted.value }),
        (MetricsText.labels(("result", "refused")), workers.sum { $0.tokensRefused.value }),
      ])
  }

  private func addConnections(_ workers: [WorkerCounters], to text: inout MetricsText) {
    text.add(
      "speed_aborted_total", .counter, "Exchanges that ended before their answer did.", workers.sum { $0.aborted.value }
    )
    text.add("speed_connections_total", .counter, "Connections accepted.", workers.sum { $0.connections.value })
    text.add(
      "speed_connections_open", .gauge, "Connections open now.",
      workers.sum { $0.connections.value } &- workers.sum { $0.connectionsClosed.value })
    text.add(
      "speed_connections_refused_total", .counter, "Connections closed at once, by the reason.",
      [
        (MetricsText.labels(("reason", "total")), workers.sum { $0.connectionsRefused.value }),
        (MetricsText.labels(("reason", "address")), workers.sum { $0.connectionsRefusedByAddress.value }),
        (MetricsText.labels(("reason", "announcement")), workers.sum { $0.announcementsRefused.value }),
      ])
    text.add(
      "speed_tls_handshakes_total", .counter, "TLS handshakes of clients, well ended.",
      workers.sum { $0.handshakes.value })
    text.add(
      "speed_tls_handshakes_failed_total", .counter, "TLS handshakes of clients that failed.",
      workers.sum { $0.handshakesFailed.value })
    text.add(
      "speed_rate_limited_total", .counter, "Requests over the rate limit of their route.",
      workers.sum { $0.rateLimited.value })
    text.add(
      "speed_upstream_connections_total", .counter, "Connections made to backends.",
      workers.sum { $0.upstreamConnections.value })
    text.add(
      "speed_http2_streams_total", .counter, "Streams that clients opened.", workers.sum { $0.http2Streams.value })
    text.add(
      "speed_http2_floods_total", .counter, "HTTP/2 connections ended for asking for too much work.",
      workers.sum { $0.http2Floods.value })
    text.add("speed_websockets_total", .counter, "WebSockets opened.", workers.sum { $0.webSockets.value })
    text.add(
      "speed_websockets_open", .gauge, "WebSockets open now.",
      workers.sum { $0.webSockets.value } &- workers.sum { $0.webSocketsClosed.value })
  }

  private func addBackends(to text: inout MetricsText) {
    let backends = backends()
    let servers = backends.flatMap(\.servers)
    text.add(
      "speed_backend_refused_total", .counter, "Requests beyond what a backend may have at once.",
      backends.map { ($0.labels, $0.refusals) })
    text.add(
      "speed_backend_server_up", .gauge, "Whether a server of a backend is in service: neither down nor ejected.",
      servers.map { ($0.labels, $0.isUp ? 1 : 0) })
    text.add(
      "speed_backend_server_requests", .gauge, "Requests that a server of a backend is at work on.",
      servers.map { ($0.labels, UInt64(max(0, $0.requestsUnderWay))) })
    text.add(
      "speed_backend_server_ejections_total", .counter, "Times that failed requests ejected a server.",
      servers.map { ($0.labels, $0.ejections) })
  }

  private func addProcess(to text: inout MetricsText) {
    let status = ProcessStatus()
    text.add(
      "speed_build_info", .gauge, "The release.", [(MetricsText.labels(("version", version)), 1)])
    text.add("process_resident_memory_bytes", .gauge, "Resident memory.", status.residentBytes)
    text.add("process_open_fds", .gauge, "Descriptors open.", status.openDescriptors)
    text.add("process_max_fds", .gauge, "Descriptors that may be open.", status.descriptorLimit)
    text.add(
      "process_cpu_seconds_total", .counter, "Processor time, user and system.",
      microseconds: status.processorMicroseconds)
    text.add(
      "process_start_time_seconds", .gauge, "When the process began, as Unix time.",
      microseconds: UInt64(max(0, startedAt.milliseconds)) * 1000)
  }
}

extension [WorkerCounters] {
  fileprivate func sum(_ value: (WorkerCounters) -> UInt64) -> UInt64 { reduce(0) { $0 &+ value($1) } }
}
