import Testing

@testable import GatewayBase

@Suite struct JSONTreeTests {
  @Test("a tree is written in its own order, what holds nothing nested on one line, and reads as JSON")
  func pretty() throws {
    let tree = JSONTree.members([
      "b": .integer(1), "absent": nil, "a": .list([.text("x\"\n"), .bool(true), .null]), "none": .list([]),
      "deep": .list([.members(["z": .integer(-2), "y": .members(["q": .text("")])])]),
    ])
    #expect(
      tree.pretty == """
        {
          "b": 1,
          "a": ["x\\"\\n", true, null],
          "none": [],
          "deep": [
            {
              "z": -2,
              "y": {"q": ""}
            }
          ]
        }

        """)
    let value = try JSONValue(parsing: Array(tree.pretty.utf8))
    #expect(value["a"]?.array?.first?.string == "x\"\n" && value["deep"]?.array?.count == 1)
    #expect(JSONTree.object([]).pretty == "{}\n")
  }
}
