// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ProviderKit",
  products: [
    // One dynamic library: the gateway and every plugin must share the same types.
    .library(name: "ProviderKit", type: .dynamic, targets: ["ProviderKit"]),
    // The ELF note, linked into each plugin by itself.
    .library(name: "ProviderNote", type: .static, targets: ["CProviderNote"]),
  ],
  targets: [
    .target(
      name: "ProviderKit", dependencies: ["CProviderNote"],
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
      ]),
    .target(name: "CProviderNote"),
  ]
)
