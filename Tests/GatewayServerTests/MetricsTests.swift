import GatewayBase
import GatewayOutbound
import GatewayPlugins
import Testing

@testable import GatewayProxy
@testable import GatewayServer

@Suite("Metrics") struct MetricsTests {
  private let labels = AppLabels()

  private func text(_ workers: [WorkerCounters]) -> String {
    Metrics(
      workers: { workers }, apps: { [labels] in labels.all }, files: { [("ok", 3), ("stale", 1), ("refused", 0)] },
      plugins: { .load(folder: "/nonexistent") }, droppedLines: { 7 }, version: "1.2.3"
    ).text
  }

  private func samples(_ workers: [WorkerCounters]) throws -> [String: Double] {
    try PrometheusText(text(workers)).samples
  }

  @Test("the counts of all workers are summed, answers by app and the class of their status")
  func sums() throws {
    let workers = [WorkerCounters(), WorkerCounters()]
    let app = labels.label(of: 42)
    for status: UInt16 in [200, 204, 302, 404, 421, 499, 500, 101, 0] {
      workers[0].apps.add(1, .answered(status), app)
    }
    workers[1].apps.add(1, .answered(200), app)
    workers[1].apps.add(1, .answered(421), .none)
    for worker in workers {
      for _ in 0..<3 { worker.connections.increment() }
      worker.connectionsClosed.increment()
      worker.apps.add(100, .received, app)
      worker.tokensKnown.increment()
    }
    workers[1].apps.add(1, .retries, app)
    let samples = try samples(workers)
    func answered(_ app: String, _ status: String) -> Double? {
      samples["speed_requests_total{app=\"\(app)\",class=\"\(status)\"}"]
    }
    #expect(answered("42", "1xx") == 1 && answered("42", "2xx") == 3 && answered("42", "3xx") == 1)
    #expect(answered("42", "4xx") == 3 && answered("42", "5xx") == 1 && answered("42", "none") == 1)
    #expect(answered("none", "4xx") == 1 && answered("platform", "2xx") == 0 && answered("other", "2xx") == nil)
    #expect(samples["speed_connections_total"] == 6 && samples["speed_connections_open"] == 4)
    #expect(samples["speed_request_bytes_total{app=\"42\"}"] == 200)
    #expect(samples["speed_retries_total{app=\"42\"}"] == 1)
    #expect(samples["speed_token_checks_total{result=\"known\"}"] == 2)
    #expect(samples["speed_aborted_total"] == 0 && samples["speed_access_log_dropped_total"] == 7)
  }

  @Test("durations are in classes that add up over the workers, in seconds")
  func histograms() throws {
    let workers = [WorkerCounters(), WorkerCounters()]
    let app = labels.label(of: 42)
    for microseconds: UInt64 in [0, 1, 256, 257, 1_000_000, 34_000_000] {
      workers[0].apps.add(microseconds: microseconds, .duration, app)
    }
    workers[1].apps.add(microseconds: 300, .duration, app)
    let samples = try samples(workers)
    func bucket(_ bound: String) -> Double? {
      samples["speed_request_duration_seconds_bucket{app=\"42\",le=\"\(bound)\"}"]
    }
    #expect(bucket("0.000256") == 3 && bucket("0.000512") == 5 && bucket("0.524288") == 5)
    #expect(bucket("1.048576") == 6 && bucket("33.554432") == 6 && bucket("+Inf") == 7)
    #expect(samples["speed_request_duration_seconds_sum{app=\"42\"}"] == 35.000814)
    #expect(samples["speed_request_duration_seconds_count{app=\"42\"}"] == 7)
    #expect(samples["speed_upstream_first_byte_seconds_count{app=\"42\"}"] == nil, "nothing was timed")
  }

  @Test("refusals are told by their code, those of plugins together")
  func refusals() throws {
    let worker = WorkerCounters()
    for code in ["no_route", "no_route", "Target not found", "some_plugin_code"] { worker.count(RefusalCode(code)) }
    let samples = try samples([worker])
    #expect(samples["speed_refusals_total{code=\"no_route\"}"] == 2)
    #expect(samples["speed_refusals_total{code=\"Target not found\"}"] == 1)
    #expect(samples["speed_refusals_total{code=\"other\"}"] == 1)
    #expect(samples["speed_refusals_total{code=\"overloaded\"}"] == 0)
  }

  @Test("tenant files are told by state, and the process by what the kernel says of it")
  func processAndFiles() throws {
    let samples = try samples([])
    #expect(samples["speed_tenant_files{state=\"ok\"}"] == 3)
    #expect(samples["speed_tenant_files{state=\"stale\"}"] == 1)
    #expect(samples["speed_build_info{version=\"1.2.3\"}"] == 1)
    #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
    #expect(try #require(samples["process_open_fds"]) >= 3)
    #expect(try #require(samples["process_max_fds"]) >= 256)
    #expect(try #require(samples["process_cpu_seconds_total"]) > 0)
    #expect(try #require(samples["process_start_time_seconds"]) > 1_700_000_000)
  }

  @Test("GW-111 apps beyond the limit count as one, and keep the labels that they have")
  func cap() throws {
    for app in 1...Int64(Limits.labelledApps) { #expect(labels.label(of: app) != .other) }
    let first = labels.label(of: 1)
    #expect(labels.label(of: 5000) == .other && labels.label(of: 5001) == .other)
    #expect(labels.label(of: 1) == first && labels.all.count == Limits.labelledApps + 3)
    let worker = WorkerCounters()
    worker.apps.add(1, .answered(200), labels.label(of: 5000))
    worker.apps.add(1, .answered(200), labels.label(of: 5001))
    for app in 1...Int64(Limits.labelledApps) { worker.apps.add(1, .answered(500), labels.label(of: app)) }
    let samples = try samples([worker])
    #expect(samples["speed_requests_total{app=\"other\",class=\"2xx\"}"] == 2)
    #expect(samples["speed_requests_total{app=\"200\",class=\"5xx\"}"] == 1)
  }

  @Test("the strict reader of these tests finds what is wrong")
  func reader() {
    for wrong in [
      "speed_a_total 1\n", "# HELP a A.\n# TYPE a gauge\na 1", "# HELP a A.\n# TYPE a gauge\nb 1\n",
      "# HELP a A.\n# TYPE a gauge\na x\n", "# HELP a A.\n# TYPE a gauge\na 1\na 1\n",
      "# HELP a A.\n# TYPE a counter\na 1\n", "# HELP a A.\n# TYPE a gauge\na{b=\"\"\"} 1\n",
      "# HELP h H.\n# TYPE h histogram\nh_bucket{a=\"1\",le=\"+Inf\"} 1\nh_sum{a=\"1\"} 1\nh_count{a=\"1\"} 2\n",
    ] {
      #expect(throws: PrometheusText.Fault.self, "\(wrong)") { try PrometheusText(wrong) }
    }
  }

  @Test("each server of a backend is told by app, backend and address: in service or not, its load, its ejections")
  func backends() throws {
    let text = """
      appId: 7
      name: A
      domains: [a.localhost]
      backends: { main: { servers: [http://127.0.0.1:9001, 'unix:/run/a"b.sock'], health: { path: / } } }
      routes: [{ path: /, backend: main }]
      """
    let configuration = try #require(file(text).configuration)
    let tenant = TenantCompiler.tenant(configuration, replacing: nil, with: TenantMaterials())
    let backend = try #require(tenant.backends.first)
    backend.checked(backend.servers[1], fault: "gone", now: 0, HealthSite(app: 7, logger: Logger(level: .error)))
    backend.servers[0].take()
    var metrics = Metrics(workers: { [] }, files: { [] }, plugins: { .load(folder: "/nonexistent") })
    metrics.backends = { BackendState.all(of: [tenant], now: 0) }
    let samples = try PrometheusText(metrics.text).samples
    let (first, second) = (
      "{app=\"7\",backend=\"main\",server=\"http://127.0.0.1:9001\"}",
      "{app=\"7\",backend=\"main\",server=\"unix:/run/a\\\"b.sock\"}"
    )
    #expect(samples["speed_backend_server_up\(first)"] == 1)
    #expect(samples["speed_backend_server_up\(second)"] == 0)
    #expect(samples["speed_backend_server_requests\(first)"] == 1)
    #expect(samples["speed_backend_server_ejections_total\(second)"] == 0)
    #expect(samples["speed_backend_refused_total{app=\"7\",backend=\"main\"}"] == 0)
  }

  @Test("a label ends neither its line nor its quotes, whatever is joined to what")
  func labelText() {
    let labels = MetricsText.labels(("a", "\r\n\"\u{301}\\"))
    #expect(Array(labels.utf8) == Array("{a=\"\r\\n\\\"\u{301}\\\\\"}".utf8))
  }

  @Test("GW-111 backends of apps beyond the limit of labels are told together")
  func otherBackends() throws {
    let materials = TenantMaterials()
    let tenants = try (1...Int64(Limits.labelledApps + 2)).map { app in
      let text = """
        appId: \(app)
        name: A
        domains: [a.localhost]
        backends: { main: { servers: [http://127.0.0.1:9001] } }
        routes: [{ path: /, backend: main }]
        """
      return TenantCompiler.tenant(try #require(file(text).configuration), replacing: nil, with: materials)
    }
    for tenant in tenants { tenant.backends.first?.servers.first?.take() }
    var metrics = Metrics(workers: { [] }, files: { [] }, plugins: { .load(folder: "/nonexistent") })
    metrics.backends = { BackendState.all(of: tenants.reversed(), now: 0) }
    let samples = try PrometheusText(metrics.text).samples
    #expect(samples.keys.count { $0.hasPrefix("speed_backend_server_up{") } == Limits.labelledApps + 1)
    let other = "{app=\"other\",backend=\"other\",server=\"other\"}"
    #expect(samples["speed_backend_server_requests\(other)"] == 2 && samples["speed_backend_server_up\(other)"] == 1)
    #expect(samples["speed_backend_refused_total{app=\"other\",backend=\"other\"}"] == 0)
    let last = "{app=\"\(Limits.labelledApps)\",backend=\"main\",server=\"http://127.0.0.1:9001\"}"
    #expect(samples["speed_backend_server_requests\(last)"] == 1)
    let site = HealthSite(app: 7, logger: Logger(level: .error))
    if let backend = tenants.last?.backends.first { backend.checked(backend.servers[0], fault: "gone", now: 0, site) }
    #expect(try PrometheusText(metrics.text).samples["speed_backend_server_up\(other)"] == 0)
  }

  @Test("where mail is sent, the metrics tell what became of it")
  func mail() throws {
    var metrics = Metrics(workers: { [] }, files: { [] }, plugins: { .load(folder: "/nonexistent") })
    #expect(!metrics.text.contains("speed_mail"))
    metrics.mail = { Mailer.Figures(sent: 3, failed: 2, waiting: 1) }
    let samples = try PrometheusText(metrics.text).samples
    #expect(samples["speed_mail_total{result=\"sent\"}"] == 3 && samples["speed_mail_total{result=\"given_up\"}"] == 2)
    #expect(samples["speed_mail_waiting"] == 1)
  }
}
