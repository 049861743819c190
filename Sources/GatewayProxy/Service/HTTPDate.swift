import GatewayBase

/// `Date` and the like (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  package static func text(_ time: UnixTime) -> String {
    let parts = time.rfc3339.split(whereSeparator: { "-T:Z".contains($0) }).map(String.init)
    guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
    // Rounded down, also before 1970.
    let (quotient, remainder) = time.seconds.quotientAndRemainder(dividingBy: 86_400)
    let day = days[Int(((quotient + (remainder < 0 ? -1 : 0)) % 7 + 7) % 7)]
    return "\(day), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }
}
