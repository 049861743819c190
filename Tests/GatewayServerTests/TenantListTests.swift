import GatewayBase
import GatewayConfig
import GatewayTesting
import Testing

@testable import GatewayServer

@Suite("The list of tenant files") struct TenantListTests {
  private func book(_ count: Int) -> TenantBook {
    var book = TenantBook()
    for number in 0..<count {
      var entry = TenantBook.Entry(
        state: number % 3 == 0 ? .refused : .ok, since: UnixTime(seconds: 1_800_000_000))
      entry.running = number % 3 == 0 ? nil : Int64(number)
      entry.digest = ContentDigest(Array("\(number)".utf8))
      book.set("t/\(number).yaml", entry)
    }
    return book
  }

  private func files(_ book: TenantBook, _ query: String?) throws -> (files: [String], next: String?) {
    let json = try JSON(parsing: TenantList(book: book).json(try TenantList.Query(query)))
    return (json["tenants"].items.compactMap { $0["file"].string }, json["next"].string)
  }

  @Test("it is in the order of paths, selected by state, app or part of the path, and comes in pages")
  func selection() throws {
    let book = book(9)
    #expect(try files(book, nil).files == (0..<9).map { "t/\($0).yaml" })
    #expect(try files(book, "state=refused").files == ["t/0.yaml", "t/3.yaml", "t/6.yaml"])
    #expect(try files(book, "app=4").files == ["t/4.yaml"])
    #expect(try files(book, "file=t%2F7").files == ["t/7.yaml"])
    let first = try files(book, "limit=4")
    #expect(first.files.count == 4 && first.next == "t/3.yaml")
    let rest = try files(book, "after=t/3.yaml")
    #expect(rest.files == (4..<9).map { "t/\($0).yaml" } && rest.next == nil)
  }

  @Test("counts follow each change of a file's state")
  func counts() {
    var book = book(9)
    #expect(book.states.map(\.count) == [6, 0, 3])
    book.set("t/0.yaml", TenantBook.Entry(state: .stale, since: UnixTime(seconds: 0)))
    book.set("t/1.yaml", nil)
    #expect(book.states.map(\.count) == [5, 1, 2])
  }

  @Test(
    "a query that is none is refused",
    arguments: ["state=good", "app=x", "limit=0", "limit=10001", "limit", "nope=1", "file=%2", "file=%zz", "file=%ff"])
  func refused(query: String) {
    #expect(throws: Refusal.self) { try TenantList.Query(query) }
  }

  @Test("a digest is the first half of the SHA-256, in hexadecimal digits")
  func digest() {
    #expect(ContentDigest([]).description == "e3b0c44298fc1c149afbf4c8996fb924")
  }
}
