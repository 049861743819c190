import GatewayBase

/// The keys of `plugin.yaml`.
enum PluginKeys {
  static let name = Key.required(
    "name", .identifier("the name of a plugin"), "The name by which tenants list it.", example: "apple-native")
  static let version = Key.required("version", .semanticVersion, "Its version.", example: "1.0.0")
  static let library = Key.required(
    "library", .fileName, "Its shared library, beside this file or beside the executable.", example: "libAppleNative.so"
  )
  static let description = Key.optional("description", .text("a sentence"), "What it does, in one sentence.")
  static let routes = Key.required(
    "routes", ValueType<Placed<PluginRoute>>.pluginRoute.list(minimum: 1), "The requests that it answers.",
    example: "[{ method: POST, path: /api/platform/auth/apple-native }]")
  static let settings = Key.optional(
    "settings", .identifier("a section of gateway.yaml"), "The section of gateway.yaml whose values it gets.",
    example: "apple")
  static let mail = DefaultedKey(
    "mail", .boolean, false, "Whether it sends mail: `check` tells where the gateway has no `mail` for it.")
  static let isolation = DefaultedKey(
    "isolation", .choice(), PluginManifest.Isolation.none,
    "Whether it runs in the gateway's process or in one of its own, which reaches no files, connections or processes.")
  static let memory = DefaultedKey(
    "memory", .size(ByteSize.mebibytes(32)...ByteSize.gibibytes(16)), ByteSize(bytes: Limits.pluginMemory),
    "The memory that a process of its own may have; beyond it ends and is started anew.")

  static let timeout = DefaultedKey(
    "timeout", .duration(.seconds(1)...(.minutes(2))), Milliseconds(Int64(Limits.pluginCall)),
    "How long a call of a process of its own may take; beyond it has no answer.")

  static let schema = MappingSchema(
    "a plugin",
    [
      name.row, version.row, library.row, description.row, routes.row, settings.row, mail.row, isolation.row,
      memory.row, timeout.row,
    ])
}

/// The keys of a plugin's route.
enum PluginRouteKeys {
  static let method = Key.required("method", .method, "The method.", example: "POST")
  static let path = Key.required(
    "path", .requestPath, "The exact path; of notices the beginning, which ends in / and an app's number follows.",
    example: "/api/platform/auth/apple-native")
  static let serves = DefaultedKey(
    "serves", .choice(), PluginRoute.Purpose.signIn,
    "signIn: sign-ins of apps; notices: messages of the provider; web, callback: a sign-in elsewhere; pages: its pages; "
      + "tickets: one-time URLs for web views, by the gateway itself."
  )

  static let schema = MappingSchema("a plugin's route", [method.row, path.row, serves.row])
}

extension ValueType where Value == Placed<PluginRoute> {
  static var pluginRoute: ValueType {
    .mapping(PluginRouteKeys.schema) { reader in
      let path = reader[PluginRouteKeys.path]
      let purpose = reader[PluginRouteKeys.serves]
      guard let method = reader[PluginRouteKeys.method], let path else { return nil }
      if path.hasSuffix("/") != (purpose == .notices) {
        reader.diagnostics.invalid(
          reader.place, "the path of notices ends in /, and no other one does",
          hint: "an app's number follows the path of notices")
      }
      if [.web, .callback, .pages].contains(purpose), !path.hasPrefix("/platform/") {
        reader.diagnostics.invalid(
          reader.place, "pages are below /platform/ alone", hint: "on other paths of these hosts the API answers")
      }
      if purpose == .pages, !["GET", "POST"].contains(method) {
        reader.diagnostics.invalid(reader.place, "pages take GET and POST alone", hint: "HEAD is answered as GET is")
      }
      if purpose == .tickets, method != "POST" {
        reader.diagnostics.invalid(reader.place, "tickets are posted for alone", hint: "write POST")
      }
      return Placed(value: PluginRoute(method: method, path: path, purpose: purpose), place: reader.place)
    }
  }
}

extension ValueType where Value == PluginManifest {
  static var pluginManifest: ValueType {
    .mapping(PluginKeys.schema) { reader in
      let name = reader[PluginKeys.name]
      let version = reader[PluginKeys.version]
      let library = reader[PluginKeys.library]
      let routes = reader[PluginKeys.routes] ?? []
      reader.diagnostics.checkUnique(
        routes.map { Placed(value: "\($0.value.method) \($0.value.path)", place: $0.place) }, "route")
      let summary = reader[PluginKeys.description]
      let settings = reader[PluginKeys.settings]
      let mail = reader[PluginKeys.mail]
      let isolation = reader[PluginKeys.isolation]
      let memory = reader[PluginKeys.memory]
      guard let name, let version, let library else { return nil }
      return PluginManifest(
        name: name, version: version, library: library, summary: summary, routes: routes.map(\.value),
        settings: settings, sendsMail: mail, isolation: isolation,
        memory: memory, timeout: reader[PluginKeys.timeout])
    }
  }
}

extension ValueType where Value == String {
  /// `major.minor.patch` (Semantic Versioning 2.0.0, without its suffixes).
  static var semanticVersion: ValueType {
    .text("a version such as 1.0.0", pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+$") { text throws(ValueFault) in
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, text.utf8.count <= 32,
        parts.allSatisfy({ part in
          !part.isEmpty && part.utf8.allSatisfy { $0.isDigit } && (part == "0" || !part.hasPrefix("0"))
        })
      else { throw ValueFault("\(Quoted(text)) is not a version", hint: "write three numbers such as 1.0.0") }
      return text
    }
  }

  /// The name of a shared library, without a path: a manifest must not point out of the plugins' folders.
  static var fileName: ValueType {
    .text("a file name such as libAppleNative.so", pattern: "^[A-Za-z0-9._-]+\\.so$") { text throws(ValueFault) in
      guard Identifier.isValid(text), text.hasSuffix(".so") else {
        throw ValueFault(
          "\(Quoted(text)) is not the name of a library",
          hint: "write a file name such as libAppleNative.so, without a path")
      }
      return text
    }
  }
}
