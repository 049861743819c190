import Glibc

/// What `plugin.yaml` says.
package struct PluginManifest: Sendable {
  package let name: String
  package let version: String
  package let library: String
  package let routes: [PluginRoute]
  package let settings: String?
}

/// A request that a plugin serves.
package struct PluginRoute: Sendable, Hashable {
  package let method: String
  package let path: String
}

/// A fault of a file.
package struct Problem: Sendable { package let message: String }

extension PluginManifest {
  package static func read(_ path: String) -> (PluginManifest?, [Problem]) {
    guard let file = unsafe fopen(path, "r") else { return (nil, [Problem(message: "can't be read")]) }
    defer { unsafe fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&buffer, 1, buffer.count, file)
    var values: [String: String] = [:]
    var routes: [PluginRoute] = []
    for line in String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n") {
      let line = line.prefix { $0 != "#" }
      let words = line.split { " {},".contains($0) }.map(String.init)
      if words.first == "-", words.count == 5 {
        routes.append(PluginRoute(method: words[2], path: words[4]))
      } else if words.count == 2 {
        values[String(words[0].dropLast())] = words[1]
      }
    }
    guard let name = values["name"], let version = values["version"], let library = values["library"] else {
      return (nil, [Problem(message: "name, version and library are required")])
    }
    let manifest = PluginManifest(
      name: name, version: version, library: library, routes: routes, settings: values["settings"])
    return (manifest, [])
  }
}
