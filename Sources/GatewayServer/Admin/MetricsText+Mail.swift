import GatewayOutbound

extension MetricsText {
  mutating func add(_ mail: Mailer.Figures) {
    add(
      "speed_mail_total", .counter, "Letters, by what became of them.",
      [(Self.labels(("result", "sent")), mail.sent), (Self.labels(("result", "given_up")), mail.failed)])
    add("speed_mail_waiting", .gauge, "Letters that wait to be sent or to be tried again.", mail.waiting)
  }
}
