// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ProviderKit",
  products: [
    // One dynamic library: the gateway and every plugin must share the same types.
    .library(name: "ProviderKit", type: .dynamic, targets: ["ProviderKit"]),
    // The ELF note, linked into each plugin by itself.
    .library(name: "ProviderNote", type: .static, targets: ["CProviderNote"]),
    // For plugins' tests: the gateway's services, faked.
    .library(name: "PluginTesting", type: .static, targets: ["PluginTesting"]),
  ],
  targets: [
    .target(
      name: "ProviderKit", dependencies: ["CProviderNote"],
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
      ]),
    .target(name: "CProviderNote"),
    .target(
      name: "PluginTesting", dependencies: ["ProviderKit"], path: "Testing",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
