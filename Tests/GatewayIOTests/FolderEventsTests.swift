import GatewayIO
import GatewayTesting
import Glibc
import Testing

@Suite("Events of folders") struct FolderEventsTests {
  private let folder: TemporaryFolder
  private let events: FolderEvents

  init() throws {
    folder = try TemporaryFolder()
    events = try FolderEvents()
  }

  @Test("files that are made, changed, renamed and removed are told by their names, and by no other folder's watch")
  func names() throws {
    let watch = try #require(events.watch(folder.path))
    #expect(events.take().isEmpty)
    try folder.write("a", "1")
    #expect(events.take().contains(.name(watch, "a")))
    #expect(unsafe rename(folder.path("a"), folder.path("b")) == 0)
    #expect(events.take() == [.name(watch, "a"), .name(watch, "b")])
    #expect(unsafe unlink(folder.path("b")) == 0)
    #expect(events.take() == [.name(watch, "b")])
    try folder.makeFolder("sub")
    #expect(events.take() == [.name(watch, "sub")])
    try folder.write("sub/c", "1")
    #expect(events.take().isEmpty)
  }

  @Test("a folder has one watch, whatever leads to it; its end is told, and one that is not there has none")
  func ends() throws {
    try folder.makeFolder("sub")
    #expect(unsafe symlink("sub", folder.path("link")) == 0)
    let watch = try #require(events.watch(folder.path("sub")))
    #expect(events.watch(folder.path("link")) == watch)
    #expect(events.watch(folder.path("absent")) == nil)
    #expect(unsafe rmdir(folder.path("sub")) == 0)
    #expect(events.take().suffix(2) == [.folder(watch), .ended(watch)])
  }

  @Test("a wait ends when something happens, when it is woken, and when its time is over")
  func waits() throws {
    _ = try #require(events.watch(folder.path))
    events.wake()
    events.wait(milliseconds: 60_000)
    try folder.write("a", "1")
    events.wait(milliseconds: 60_000)
    #expect(!events.take().isEmpty)
    events.wait(milliseconds: 1)
  }
}
