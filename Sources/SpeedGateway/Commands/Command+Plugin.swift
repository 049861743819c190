import GatewayConfig
import GatewayIO
import GatewayPlugins

extension Command {
  static let plugin = Command(
    "plugin", "look at the sign-in providers, begin a new one", example: "speed-gateway plugin list",
    .group([
      Command(
        "list", "name, version, ABI and state of each plugin; exit code 1 where one can't be loaded",
        example: "speed-gateway plugin list --config gateway.yaml",
        .action { invocation in
          let catalog = PluginCatalog.load(folder: try Settings(invocation).configuration.plugins)
          try StandardStream.output.write(PluginTable.text(catalog))
          return catalog.isComplete ? 0 : 1
        }),
      Command(
        "new", "write the package of a plugin to begin with; it builds, its test passes, and it loads",
        operands: Operands(
          name: "NAME", help: "by which apps list it: lower-case letters, digits and -, a letter first", count: 1...1),
        options: [into, kit],
        notes: "The package is a new folder NAME. What is there already is never overwritten.",
        example: "speed-gateway plugin new pear-club --into ~/plugins", .action(newPlugin)),
    ]))

  private static let into = CommandOption(
    "into", "DIR", "the folder in which the package's folder is made; by default the working folder")
  private static let kit = CommandOption(
    "kit", "PATH", "the folder of ProviderKit's package; by default the one that is installed with this command")

  @Sendable private static func newPlugin(_ invocation: Invocation) async throws -> Int32 {
    let name = invocation.operands[0]
    guard PluginStart.isName(name) else {
      throw UsageError(
        "NAME is made of lower-case letters, digits and -, 40 at most, a letter first and no - at the end")
    }
    let places = invocation[kit].map { [$0] } ?? PluginHost.current.kitPlaces
    guard let place = places.first(where: { FileSystem.look(at: "\($0)/Package.swift") != .absent }),
      let kit = FileSystem.canonical(place)
    else {
      throw CommandFailure("ProviderKit is not there: looked for Package.swift in \(places.joined(separator: ", "))")
    }
    let start = PluginStart(name: name, kit: kit)
    let root = FilePath.join(invocation[into] ?? ".", name)
    guard FileSystem.look(at: root) == .absent else {
      throw CommandFailure("\(root) is there already, and is left as it is")
    }
    for (path, text) in start.files {
      let path = FilePath.join(root, path)
      var folder = root
      try NewFile.makeFolder(folder)
      for part in path.dropFirst(root.utf8.count + 1).split(separator: "/").dropLast() {
        folder = FilePath.join(folder, String(part))
        try NewFile.makeFolder(folder)
      }
      try NewFile.write(text, to: path)
    }
    try StandardStream.output.write("\(root): a plugin that builds against \(kit); its README.md says how to go on\n")
    return 0
  }
}
