import GatewayPlugins
import Testing

@testable import GatewayProxy
@testable import GatewayServer

@Suite("Metrics") struct MetricsTests {
  private func text(_ workers: [WorkerCounters]) -> String {
    Metrics(
      workers: { workers }, files: { [("ok", 3), ("stale", 1), ("refused", 0)] },
      plugins: .load(folder: "/nonexistent")
    ).text
  }

  private func samples(_ text: String) -> [String: String] {
    text.split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(into: [:]) { samples, line in
      let parts = line.split(separator: " ")
      samples[parts.dropLast().joined(separator: " ")] = parts.last.map(String.init)
    }
  }

  @Test("the counts of all workers are summed, answers by the class of their status")
  func sums() {
    let workers = [WorkerCounters(), WorkerCounters()]
    for status: UInt16 in [200, 204, 302, 404, 421, 499, 500, 101] { workers[0].count(status: status) }
    workers[1].count(status: 200)
    for worker in workers {
      for _ in 0..<3 { worker.connections.increment() }
      worker.connectionsClosed.increment()
    }
    workers[1].retries.increment()
    let samples = samples(text(workers))
    #expect(samples["speed_answers_total{class=\"2xx\"}"] == "3")
    #expect(samples["speed_answers_total{class=\"3xx\"}"] == "1")
    #expect(samples["speed_answers_total{class=\"4xx\"}"] == "3")
    #expect(samples["speed_answers_total{class=\"5xx\"}"] == "1")
    #expect(samples["speed_connections_total"] == "6")
    #expect(samples["speed_connections_open"] == "4")
    #expect(samples["speed_retries_total"] == "1")
    #expect(samples["speed_aborted_total"] == "0")
  }

  @Test("tenant files are told by state")
  func files() {
    let samples = samples(text([]))
    #expect(samples["speed_tenant_files{state=\"ok\"}"] == "3")
    #expect(samples["speed_tenant_files{state=\"stale\"}"] == "1")
    #expect(samples["speed_tenant_files{state=\"refused\"}"] == "0")
  }

  @Test("every sample stands behind the help and the type of its name, and the text ends with a line end")
  func form() {
    let text = text([WorkerCounters()])
    #expect(text.hasSuffix("\n") && !text.contains("\n\n"))
    var name = ""
    var hasType = false
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# HELP ") {
        (name, hasType) = (String(words[2]), false)
      } else if line.hasPrefix("# TYPE ") {
        #expect(words[2] == name && ["counter", "gauge"].contains(words[3]))
        hasType = true
      } else {
        #expect(hasType && line.prefix { $0 != "{" && $0 != " " } == name)
        #expect(words.count == 2 && UInt64(words[1]) != nil)
      }
    }
  }
}
