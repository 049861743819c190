import GatewayIO
import GatewayTesting
import Testing

@Suite struct NewFileTests {
  @Test("a new file is written whole, takes no name that is there, and leaves nothing else behind")
  func write() throws {
    let folder = try TemporaryFolder()
    try NewFile.makeFolder(folder.path("a"))
    try NewFile.makeFolder(folder.path("a"))
    let path = folder.path("a/b")
    try NewFile.write("first", to: path)
    let failure = #expect(throws: NewFile.Failure.self) { try NewFile.write("second", to: path) }
    #expect(failure?.isThere == true)
    #expect(try folder.read("a/b") == "first")
    try NewFile.replace(path, with: "third")
    #expect(try folder.read("a/b") == "third")
    let absent = #expect(throws: NewFile.Failure.self) { try NewFile.write("x", to: folder.path("no/b")) }
    #expect(absent?.isThere == false)
    #expect(Subprocess.output(["ls", "-A", folder.path("a")], limit: 100) == Array("b\n".utf8))
  }

  @Test("the output of a program that fails, is absent or writes too much is none")
  func subprocess() {
    #expect(Subprocess.output(["echo", "a b"], limit: 4) == Array("a b\n".utf8))
    #expect(Subprocess.output(["echo", "a b"], limit: 3) == nil)
    #expect(Subprocess.output(["sh", "-c", "echo a; exit 3"], limit: 100) == nil)
    #expect(Subprocess.output(["no-such-program-anywhere"], limit: 100) == nil)
    #expect(Subprocess.output(["sh", "-c", "cat"], limit: 100) == [])
  }
}
