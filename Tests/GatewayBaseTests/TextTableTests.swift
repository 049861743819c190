import GatewayBase
import Testing

@Suite struct TextTableTests {
  @Test("columns are as wide as their widest cell, and no line ends in blanks")
  func aligned() {
    #expect(TextTable.aligned([["A", "LONG", "C"], ["abc", "é", ""]]) == "A    LONG  C\nabc  é\n")
    #expect(TextTable.aligned([]) == "")
  }
}
