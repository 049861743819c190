/// The package that `plugin new` writes: a provider that works, with its test, to be changed into another one.
struct PluginStart {
  /// The word before a module's name. Apart, as what this file itself imports and points to is told by its text.
  static let imported = "import"
  private static let pointer = "Unsafe" + "MutableRawPointer"

  /// What apps list under `providers`.
  let name: String
  /// The folder of ProviderKit's package.
  let kit: String

  /// Lower-case letters, digits and `-` inside, a letter first: the names of types and files are made of it.
  static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last, bytes.count <= 40, isLetter(first), last != 0x2D else {
      return false
    }
    return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  /// `pear-club` is `PearClub`.
  var type: String { name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

  /// The module and the library: no module of Swift's has such a name.
  var module: String { "\(type)Plugin" }

  /// All files by their path in the package.
  var files: [(path: String, text: String)] {
    [
      ("Package.swift", package), ("plugin.yaml", manifest), ("README.md", readme), (".gitignore", ".build/\n"),
      ("Sources/\(module)/\(type)Provider.swift", provider), ("Sources/\(module)Entry/Entry.swift", entry),
      ("Tests/\(module)Tests/\(type)ProviderTests.swift", tests),
    ]
  }

  private var manifest: String {
    """
    # What the gateway reads before it loads the library. Name and version are those of the provider's code.
    name: \(name)
    version: 1.0.0
    library: lib\(module).so
    routes:
      - { method: POST, path: /api/platform/auth/\(name) }

    """
  }

  private var entry: String {
    """
    \(Self.imported) ProviderKit
    \(Self.imported) \(module)

    /// The function by which the gateway gets this plugin's provider.
    @c(speed_provider_entry)
    public func speedProviderEntry() -> \(Self.pointer) { ProviderEntry(\(type)Provider()).handOver() }

    """
  }

  private var readme: String {
    """
    # \(name)

    A plugin of speed-gateway: signs in whoever has a member's code. Apps that list `\(name)` under `providers` post

    ```json
    { "appId": 1, "code": "…" }
    ```

    to `/api/platform/auth/\(name)`. Another code is answered with 401 `invalid_member_code`.

    Build it with `swift build -c release`, test it with `swift test`. To load it, make a folder `\(name)` in the gateway's
    folder of plugins and copy `.build/release/lib\(module).so`, then `plugin.yaml` there: a gateway that runs takes it up by
    itself within two seconds, and so it does each time that they change. `speed-gateway plugin list` says why it can't.

    """
  }
}
