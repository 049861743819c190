import GatewayBase

/// Dates of mail (RFC 5322 section 3.3), in UTC.
enum MailDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Mon, 07 Dec 2026 09:30:00 +0000`.
  static func text(_ time: UnixTime) -> String {
    // `2026-12-07T09:30:00Z`
    let parts = time.rfc3339.split { "-T:Z".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), (1...12).contains(month) else { return "" }
    let day = days[Int(((time.seconds / 86_400) % 7 + 7) % 7)]
    return "\(day), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
  }
}
