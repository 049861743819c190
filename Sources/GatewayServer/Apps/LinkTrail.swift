import GatewayConfig

/// What a path depends on besides its own name: the links on the way to what it leads to, wherever they are. A change of
/// any of these names may lead the path somewhere else (a mounted volume's `..data` is one), or change what is there.
enum LinkTrail {
  struct Step: Hashable {
    /// As the kernel finds it, through no further link.
    let folder: String
    let name: String
  }

  /// The kernel's own bound for one path (path_resolution(7)).
  private static let most = 40

  /// - Parameters:
  ///   - path: in a folder that is watched by itself.
  ///   - targetOf: what a link says; nil for what is none.
  static func steps(
    of path: String, targetOf: (String) -> String? = { FileSystem.target(ofLink: $0) }
  ) -> [Step] {
    var steps: [Step] = []
    var links = 0
    var place = path.hasPrefix("/") ? "/" : "."
    var rest = path.split(separator: "/").map(String.init)[...]
    while let name = rest.popFirst() {
      if name == "." { continue }
      if name == ".." {
        place = parent(of: place)
        continue
      }
      let here = FilePath.join(place, name)
      guard let target = targetOf(here) else {
        if links > 0 && rest.isEmpty { steps.append(Step(folder: place, name: name)) }
        place = here
        continue
      }
      links += 1
      guard links <= most else { break }
      steps.append(Step(folder: place, name: name))
      if target.hasPrefix("/") { place = "/" }
      rest = target.split(separator: "/").map(String.init) + rest
    }
    return steps
  }

  /// The folder above one that was reached through no link.
  private static func parent(of place: String) -> String {
    guard place != "/" else { return "/" }
    let last = FilePath.lastComponent(place)
    guard place != ".", last != ".." else { return FilePath.join(place, "..") }
    let above = place.dropLast(last.count)
    return above.count > 1 ? String(above.dropLast()) : above.isEmpty ? "." : "/"
  }
}
