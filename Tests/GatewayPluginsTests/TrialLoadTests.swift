import GatewayPlugins
import Testing

@Suite("The trial load in a child process")
struct TrialLoadTests {
  @Test(
    "GW-119 a library that ends its process while it loads is one failed plugin, and this process lives",
    arguments: [
      // Address Sanitizer would take this signal over.
      ("signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 1;", "SIGSEGV"), ("__builtin_trap();", "SIGILL"),
      ("abort();", "SIGABRT"),
      ("exit(0);", "exit status 0"), ("_exit(7);", "exit status 7"),
      ("write(3, \"+\", 1); _exit(7);", "exit status 7"),
    ])
  func crash(statement: String, words: String) throws {
    let workshop = try PluginWorkshop()
    try workshop.add("bad", c: includes + "__attribute__((constructor)) static void f(void) { \(statement) }")
    #expect(
      workshop.load().plugins.first?.failure == "the library ended the process that tried to load it: \(words)")
  }

  @Test("GW-119 a library that never finishes loading is ended at the time limit")
  func endless() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("stuck", c: "__attribute__((constructor)) static void f(void) { for (;;) __asm__(\"\"); }")
    #expect(workshop.load(timeLimit: 200).plugins.first?.failure == "the library did not finish loading within 200 ms")
  }

  @Test("GW-119 a library that sends a gigabyte while it loads holds up nothing")
  func chatty() throws {
    let workshop = try PluginWorkshop()
    try workshop.add(
      "chatty",
      c: includes + """
        static char block[1 << 20];
        __attribute__((constructor)) static void f(void) { for (int i = 0; i < 1024; i++) write(1, block, sizeof block); }
        """)
    #expect(
      workshop.load().plugins.first?.failure == "the library has no public @c(speed_provider_entry) function")
  }

  @Test("a library with an undefined symbol is refused, with the loader's reason")
  func undefinedSymbol() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("loose", c: "extern int nowhere(void); int f(void) { return nowhere(); }")
    let failure = try #require(workshop.load().plugins.first?.failure)
    #expect(failure.hasPrefix("the library can't be loaded: "))
    #expect(failure.contains("nowhere"))
  }

  @Test("an entry that returns nothing is refused")
  func nothing() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("void", c: "void *speed_provider_entry(void) { return 0; }")
    #expect(workshop.load().plugins.first?.failure == "speed_provider_entry returned nothing")
  }

  @Test("an entry that returns no object at all is a crash of the child alone")
  func noObject() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("wild", c: "void *speed_provider_entry(void) { return (void *)16; }")
    #expect(workshop.load().plugins.first?.failure?.contains("ended the process that tried to load it") == true)
  }

  @Test("an entry that returns an object of another class is refused")
  func otherObject() throws {
    let workshop = try PluginWorkshop()
    try workshop.add(
      "other",
      swift: """
        public final class ProviderEntry {}
        @c(speed_provider_entry)
        public func entry() -> UnsafeMutableRawPointer { Unmanaged.passRetained(ProviderEntry()).toOpaque() }
        """)
    #expect(
      workshop.load().plugins.first?.failure
        == "speed_provider_entry returned another object than this gateway's ProviderEntry")
  }

  @Test("trial loads run side by side")
  func parallel() throws {
    let workshop = try PluginWorkshop()
    // Each waits for the other: one after the other, both would run into the time limit.
    for (own, other) in [("a", "b"), ("b", "a")] {
      try workshop.add(
        own,
        c: includes + """
          __attribute__((constructor)) static void f(void) {
            close(open("\(workshop.folder)/\(own).here", O_CREAT | O_WRONLY, 0600));
            while (access("\(workshop.folder)/\(other).here", F_OK)) usleep(1000);
          }
          void *speed_provider_entry(void) { return 0; }
          """)
    }
    #expect(
      workshop.load().plugins.map(\.failure) == Array(repeating: "speed_provider_entry returned nothing", count: 2))
  }

  @Test("a command that can't be started is told as such")
  func noCommand() throws {
    let workshop = try PluginWorkshop()
    try workshop.add("apple-native", library: "libAppleNative.so")
    let catalog = PluginCatalog.load(
      folder: workshop.folder, host: PluginHost(executable: "/nonexistent", folder: PluginWorkshop.built))
    #expect(
      catalog.plugins.first?.failure == "the trial load could not be started: posix_spawn: No such file or directory")
  }
}

private let includes = "#include <fcntl.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
