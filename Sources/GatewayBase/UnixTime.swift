/// A point in time, in whole milliseconds since 1970-01-01 00:00:00 UTC.
package struct UnixTime: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package init(seconds: Int64) { self.milliseconds = seconds * 1000 }

  /// Whole seconds, rounded down: the form of JWT claims (RFC 7519, NumericDate).
  package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

  package func adding(seconds: Int64) -> UnixTime { UnixTime(milliseconds: milliseconds + seconds * 1000) }

  package static func < (a: UnixTime, b: UnixTime) -> Bool { a.milliseconds < b.milliseconds }

  /// `2026-12-07T09:30:00Z` (RFC 3339, UTC, whole seconds).
  package var rfc3339: String {
    let date = CivilDate(daysSinceEpoch: seconds.quotientRoundedDown(by: 86_400))
    let second = seconds - date.daysSinceEpoch * 86_400
    return
      "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))T"
      + "\(twoDigits(second / 3600)):\(twoDigits(second / 60 % 60)):\(twoDigits(second % 60))Z"
  }
}

/// Reads the wall clock. Everything that compares a time with "now" takes one, so that tests can set it.
package protocol WallClock: Sendable {
  var now: UnixTime { get }
}

private struct CivilDate {
  let daysSinceEpoch: Int64
  let year: Int64
  let month: Int64
  let day: Int64

  /// Proleptic Gregorian date of a day number, counted in 400-year eras that begin on 1 March.
  init(daysSinceEpoch: Int64) {
    self.daysSinceEpoch = daysSinceEpoch
    let shifted = daysSinceEpoch + 719_468
    let era = shifted.quotientRoundedDown(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

private func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
