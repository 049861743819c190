import ProviderKit
import Testing

@testable import SpeedWebPages

@Suite("Moments, browsers and encodings of the pages") struct MomentTests {
  private static let day: Int64 = 86_400_000

  @Test(
    "a day is counted in UTC",
    arguments: [
      (0, 1970, 1, 1), (-1, 1969, 12, 31), (951_782_400_000, 2000, 2, 29), (951_868_800_000, 2000, 3, 1),
      (4_107_542_399_999, 2100, 2, 28), (4_107_542_400_000, 2100, 3, 1), (1_796_083_199_999, 2026, 11, 30),
      (1_796_083_200_000, 2026, 12, 1), (Int64.max, 9999, 12, 31), (Int64.min, 1, 1, 1),
    ] as [(Int64, Int, Int, Int)])
  func dates(_ time: Int64, _ year: Int, _ month: Int, _ day: Int) {
    let date = CivilDate(time)
    #expect((date.year, date.month, date.day) == (year, month, day))
  }

  @Test(
    "a moment is said as people say it",
    arguments: [
      (0, "just now"), (-60_000, "just now"), (119_999, "just now"), (120_000, "2 minutes ago"),
      (3_600_000, "1 hour ago"), (7_200_000, "2 hours ago"), (day, "yesterday"), (6 * day, "6 days ago"),
      (7 * day, "24 Nov 2026"), (Int64.max, "1 Jan 1970"),
    ] as [(Int64, String)])
  func moments(_ age: Int64, _ said: String) {
    let now: Int64 = 1_796_083_200_000
    let time = age == .max ? 0 : now - age
    #expect(Moment(time: time, now: now).said(in: Texts.english.times) == said)
  }

  @Test("no span is too long to be said", arguments: Language.allCases)
  func extremes(_ language: Language) {
    let times = language.texts.times
    #expect(!Moment(time: .min, now: .max).said(in: times).isEmpty)
    #expect(Moment(time: .max, now: .min).said(in: times) == times.now)
    for month in 1...12 { #expect(times.date(2026, month, 9).contains("2026")) }
  }

  @Test(
    "a browser is called by its own name, not by those that it claims too",
    arguments: [
      ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1", "Safari on iPhone"),
      ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/130.0 Mobile Safari/604.1", "Chrome on iPhone"),
      ("Mozilla/5.0 (Linux; Android 15) Chrome/130.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
      (
        "Mozilla/5.0 (Linux; Android 15) SamsungBrowser/27.0 Chrome/125.0.0.0 Safari/537.36",
        "Samsung Internet on Android"
      ),
      ("Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/130.0.0.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
      ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko Firefox/132.0", "Firefox on Mac"),
      ("Mozilla/5.0 (X11; Linux x86_64) Firefox/132.0", "Firefox on Linux"), ("Firefox/1", "Firefox"),
      ("curl/8.0", "Unknown browser"), ("", "Unknown browser"), (nil, "Unknown browser"),
    ] as [(String?, String)])
  func browsers(_ userAgent: String?, _ name: String) {
    #expect(Browser.name(userAgent, .english) == name)
  }

  @Test("base64url is written without padding and read back (RFC 4648 section 10)")
  func base64URL() {
    #expect(
      ["", "f", "fo", "foo", "foob"].map { ByteText.base64URL(Array($0.utf8)) } == ["", "Zg", "Zm8", "Zm9v", "Zm9vYg"])
    #expect(ByteText.base64URL([0xFB, 0xFF, 0xBE]) == "-_--")
    for count in 0...64 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      #expect(ByteText.bytes(base64URL: ByteText.base64URL(bytes)) == bytes)
    }
    for wrong in ["Z", "Zg==", "Z+", "Z/", "Z g", "Zgäa"] { #expect(ByteText.bytes(base64URL: wrong) == nil) }
  }

  @Test("values of a query are encoded, and the visit comes first")
  func links() {
    let visit = PageSample.frame(.english).visit
    #expect(PagePath.signIn.link(nil) == "/platform/auth/sign-in")
    #expect(PagePath.verify.link(nil, [("id", "a&b=c d+é")]) == "/platform/auth/verify?id=a%26b%3Dc%20d%2B%C3%A9")
    #expect(PagePath.verify.link(visit, [("id", "x")]) == "/platform/auth/verify?\(PageSample.visitQuery)&id=x")
  }
}
