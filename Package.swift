// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: warnings are errors, and unsafe constructs must be marked `unsafe`,
/// so that the modules that own pointers and C calls can be told apart by their text.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableExperimentalFeature("Lifetimes"),
]

/// Where an installed binary finds its libraries: by folders relative to its own, without the toolchain.
func installedLayout(_ folders: String) -> [LinkerSetting] {
  [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", folders])]
}
let executableLayout = installedLayout("$ORIGIN/../lib/speed-gateway:$ORIGIN/../lib/speed-gateway/swift")
let pluginLayout = installedLayout("$ORIGIN/../..:$ORIGIN/../../swift")

let providerKit: Target.Dependency = .product(name: "ProviderKit", package: "ProviderKit")
let pluginTesting: Target.Dependency = .product(name: "PluginTesting", package: "ProviderKit")
let providerNote: Target.Dependency = .product(name: "ProviderNote", package: "ProviderKit")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func appLibrary(_ name: String) -> Target { .target(name: name, swiftSettings: appSide) }

func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: path, swiftSettings: house)
}

/// What the library for apps is built with: there strictness must not stop the build on a system of another year.
let appSide: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error, .when(platforms: [.linux])),
  .strictMemorySafety(.when(platforms: [.linux])),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "speed-gateway",
  // Of `SpeedAuth`; the gateway itself runs on Linux.
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .executable(name: "speed-gateway", targets: ["SpeedGateway"]),
    .library(name: "SpeedAuth", targets: ["SpeedAuth"]),
    // SwiftPM caches this manifest, so the plugins are listed by hand.
    .library(name: "AppleNative", type: .dynamic, targets: ["AppleNative"]),
    .library(name: "SpeedWeb", type: .dynamic, targets: ["SpeedWeb"]),
    .library(name: "Relay", type: .dynamic, targets: ["Relay"]),
  ],
  dependencies: [.package(path: "ProviderKit")],
  targets: [
    // C libraries of the system
    .target(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMariaDB", pkgConfig: "libmariadb", providers: [.apt(["libmariadb-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CFIDO2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),

    // The gateway, in dependency order
    library("GatewayBase"),
    library("GatewayCrypto", ["GatewayBase", "COpenSSL"]),
    library("GatewayIO", ["GatewayBase", "CLinux"]),
    library("GatewayHTTP", ["GatewayBase", "CNghttp2"]),
    library("GatewayConfig", ["GatewayBase", "GatewayCrypto", "CYAML", "CIDN2"]),
    library("GatewayTLS", ["GatewayBase", "GatewayIO", "GatewayConfig", "COpenSSL"]),
    library("GatewayStore", ["GatewayBase", "GatewayIO", "CSQLite", "CMariaDB"]),
    library("GatewayOutbound", ["GatewayBase", "GatewayIO", "CCurl"]),
    library(
      "GatewayIdentity",
      [
        "GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayStore", "GatewayOutbound",
      ]),
    library("GatewayPasskeys", ["GatewayBase", "GatewayCrypto", "CFIDO2", providerKit]),
    library("GatewayProxy", ["GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayTLS", "GatewayHTTP"]),
    library("GatewayPlugins", ["GatewayBase", "GatewayConfig", "GatewayIO", "CLinux", providerKit]),
    library(
      "GatewayServer",
      [
        "GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayTLS", "GatewayHTTP", "GatewayConfig", "GatewayStore",
        "GatewayOutbound", "GatewayIdentity", "GatewayPasskeys", "GatewayProxy", "GatewayPlugins", providerKit,
      ]),
    library(
      "GatewaySandbox",
      [
        "GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayHTTP", "GatewayOutbound", "GatewayProxy", providerKit,
      ]),
    .executableTarget(
      name: "SpeedGateway",
      dependencies: [
        "GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayTLS", "GatewayConfig", "GatewayStore", "GatewayOutbound",
        "GatewayIdentity", "GatewayPlugins", "GatewayServer", "GatewaySandbox",
      ],
      swiftSettings: house, linkerSettings: executableLayout),
    library("GatewayTesting", ["GatewayBase", "GatewayIO", "GatewayTLS", "CLinux", "CNghttp2"]),

    // The plugins
    .target(
      name: "AppleNative", dependencies: [providerKit, providerNote], path: "plugins/apple-native/Sources",
      swiftSettings: house, linkerSettings: pluginLayout),
    // The entry function apart, as one binary, such as that of all tests, can have one alone.
    .target(
      name: "SpeedWebPages", dependencies: [providerKit], path: "plugins/speed-web/Sources", swiftSettings: house),
    .target(
      name: "SpeedWeb", dependencies: ["SpeedWebPages", providerKit, providerNote], path: "plugins/speed-web/Entry",
      swiftSettings: house, linkerSettings: pluginLayout),
    .target(name: "RelaySignIn", dependencies: [providerKit], path: "plugins/relay/Sources", swiftSettings: house),
    .target(
      name: "Relay", dependencies: ["RelaySignIn", providerKit, providerNote], path: "plugins/relay/Entry",
      swiftSettings: house, linkerSettings: pluginLayout),

    // The library for apps
    appLibrary("SpeedAuth"),

    // Tests
    tests("GatewayBaseTests", ["GatewayBase"]),
    tests("GatewayCryptoTests", ["GatewayBase", "GatewayCrypto"]),
    tests("GatewayIOTests", ["GatewayBase", "GatewayIO", "GatewayTesting"]),
    tests("GatewayTLSTests", ["GatewayBase", "GatewayIO", "GatewayTLS", "GatewayTesting"]),
    tests("GatewayHTTPTests", ["GatewayBase", "GatewayHTTP", "GatewayTesting"]),
    tests("GatewayConfigTests", ["GatewayBase", "GatewayConfig"]),
    .target(
      name: "GatewayStoreTesting", dependencies: ["GatewayBase", "GatewayStore"], path: "Tests/GatewayStoreTesting",
      swiftSettings: house),
    tests("GatewayStoreTests", ["GatewayBase", "GatewayIO", "GatewayStore", "GatewayStoreTesting"]),
    tests("GatewayOutboundTests", ["GatewayBase", "GatewayIO", "GatewayTLS", "GatewayOutbound", "GatewayTesting"]),
    tests(
      "GatewayIdentityTests",
      [
        "GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayStore", "GatewayStoreTesting", "GatewayOutbound",
        "GatewayIdentity",
      ]),
    tests("GatewayPasskeysTests", ["GatewayBase", "GatewayCrypto", "GatewayPasskeys", providerKit]),
    tests(
      "GatewayProxyTests",
      ["GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayHTTP", "GatewayProxy", "GatewayTesting"]),
    tests("GatewayPluginsTests", ["GatewayBase", "GatewayConfig", "GatewayPlugins", pluginTesting, providerKit]),
    tests(
      "GatewaySandboxTests",
      ["GatewayBase", "GatewayCrypto", "GatewayIO", "GatewayHTTP", "GatewayProxy", "GatewaySandbox"]),
    tests(
      "GatewayServerTests",
      [
        "GatewayBase", "GatewayIO", "GatewayHTTP", "GatewayConfig", "GatewayStore", "GatewayStoreTesting",
        "GatewayOutbound", "GatewayIdentity", "GatewayProxy", "GatewayPlugins", "GatewayServer", "GatewayTesting",
        providerKit,
      ]),
    tests("AppleNativeTests", ["AppleNative", pluginTesting, providerKit], path: "plugins/apple-native/Tests"),
    tests("SpeedWebTests", ["SpeedWebPages", pluginTesting, providerKit], path: "plugins/speed-web/Tests"),
    tests("RelaySignInTests", ["RelaySignIn", pluginTesting, providerKit], path: "plugins/relay/Tests"),
    tests("CommandTests", ["GatewayBase", "GatewayStore", "GatewayIdentity", "GatewayTesting"]),
    tests("EndToEndTests", ["GatewayBase", "GatewayCrypto", "GatewayTLS", "GatewayTesting", "SpeedAuth"]),
    tests("SpeedAuthTests", ["SpeedAuth"]),
    // The Swift code of docs/BACKENDS.md; `Crypto` stands in for the module of swift-crypto.
    .target(
      name: "Crypto", dependencies: ["GatewayBase", "GatewayCrypto"], path: "Tests/Docs/Crypto", swiftSettings: house),
    tests("BackendPageTests", ["Crypto", "GatewayTesting"], path: "Tests/Docs/Swift"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "GatewayBase", "GatewayCrypto", "GatewayHTTP", "GatewayConfig", "GatewayPasskeys", "GatewayPlugins",
        providerKit,
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: house),
    tests("FuzzTests", ["FuzzTargets", "GatewayBase"]),
    tests("HouseRulesTests", []),
  ]
)
