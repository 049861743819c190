import GatewayBase
import Testing

@Suite("Unix time") struct UnixTimeTests {
  @Test(
    "a time is printed as its UTC date in whole seconds",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00Z"),
      (951_782_399, "2000-02-28T23:59:59Z"),
      (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_800, "2000-03-01T00:00:00Z"),
      (1_078_012_800, "2004-02-29T00:00:00Z"),
      (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
      (1_796_635_800, "2026-12-07T09:30:00Z"),
      (1_798_761_599, "2026-12-31T23:59:59Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
  func prints(seconds: Int64, text: String) {
    #expect(UnixTime(seconds: seconds).rfc3339 == text)
  }

  @Test("a time before 1970 is printed as its UTC date")
  func beforeTheEpoch() {
    #expect(UnixTime(seconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
    #expect(UnixTime(seconds: -2_203_977_600).rfc3339 == "1900-02-28T00:00:00Z")
    #expect(UnixTime(seconds: -2_203_891_200).rfc3339 == "1900-03-01T00:00:00Z")
  }

  @Test("milliseconds are cut towards the past, before 1970 too")
  func wholeSeconds() {
    #expect(UnixTime(milliseconds: 1999).seconds == 1)
    #expect(UnixTime(milliseconds: -1).seconds == -1)
    #expect(UnixTime(milliseconds: -1000).seconds == -1)
    #expect(UnixTime(milliseconds: -1001).seconds == -2)
    #expect(UnixTime(milliseconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
  }

  @Test("times order and add as numbers do")
  func orders() {
    let time = UnixTime(milliseconds: 1500)
    #expect(time < time.adding(seconds: 1))
    #expect(time.adding(seconds: -2) == UnixTime(milliseconds: -500))
  }
}
