/// A span that someone has to wait, in the unit that people say it in, rounded up.
enum Wait: Sendable, Hashable {
  case seconds(Int)
  case minutes(Int)
  case hours(Int)

  init(seconds: Int) {
    let seconds = max(1, seconds)
    if seconds < 60 {
      self = .seconds(seconds)
    } else if seconds <= 3600 - 60 {
      self = .minutes((seconds - 1) / 60 + 1)
    } else {
      self = .hours((seconds - 1) / 3600 + 1)
    }
  }
}

/// A moment of the past as people say it: how long ago it was, from a week on its date. There is no clock time in it, as
/// nobody knows the browser's time zone.
struct Moment: Sendable, Hashable {
  /// Unix time in milliseconds.
  let time: Int64
  /// Likewise: the present.
  let now: Int64

  /// In words.
  func said(in texts: Texts.Times) -> String {
    guard time < now else { return texts.now }
    let (span, overflow) = now.subtractingReportingOverflow(time)
    let minutes = overflow ? Int64.max : span / 60_000
    switch minutes {
    case 0..<2: return texts.now
    case 2..<60: return texts.minutes(Int(minutes))
    case 60..<1440: return texts.hours(Int(minutes / 60))
    case 1440..<10_080: return texts.days(Int(minutes / 1440))
    default:
      let date = CivilDate(time)
      return texts.date(date.year, date.month, date.day)
    }
  }
}

/// A day of the Gregorian calendar in UTC.
struct CivilDate: Sendable, Hashable {
  let year: Int
  let month: Int
  let day: Int

  /// The day that a moment falls on; years are kept between 1 and 9999.
  ///
  /// - Parameter milliseconds: Unix time.
  init(_ milliseconds: Int64) {
    let kept = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    let days = Int(kept >= 0 ? kept / 86_400_000 : (kept - 86_399_999) / 86_400_000)
    // Counted from 1 March of year 0, so that the leap day is a year's last.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}
