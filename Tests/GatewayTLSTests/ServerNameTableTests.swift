import Testing

@testable import GatewayTLS

@Suite struct ServerNameTableTests {
  @Test("An exact name wins over a wildcard, which stands for one label")
  func wildcards() {
    let table = ServerNameTable([(["*.test"], 1), (["a.test"], 1), (["*.a.test"], 1)])
    #expect(table.set(for: "a.test").map { table.sets[$0] } == [1])
    #expect(table.set(for: "b.test").map { table.sets[$0] } == [0])
    #expect(table.set(for: "b.a.test").map { table.sets[$0] } == [2])
    #expect(table.set(for: "c.b.test") == nil)
    #expect(table.set(for: "test") == nil)
    #expect(table.set(for: "*.test").map { table.sets[$0] } == [0])
  }

  @Test("One certificate of each kind of key serves a name; of two of a kind the first")
  func kinds() {
    let table = ServerNameTable([(["a", "b"], 1), (["a"], 2), (["a", "c"], 1)])
    #expect(table.set(for: "a").map { table.sets[$0] } == [0, 1])
    #expect(table.set(for: "b").map { table.sets[$0] } == [0])
    #expect(table.set(for: "c").map { table.sets[$0] } == [2])
    #expect(table.sets.first == [0, 1])
  }

  @Test("Clients that name nothing get the first certificate, also one without names")
  func unnamed() {
    #expect(ServerNameTable([([], 1), (["a"], 1)]).sets.first == [0])
    #expect(ServerNameTable([]).sets.isEmpty)
  }
}
