import Glibc

/// Where the build put what the tests start.
package enum Built {
  /// The command. `SPEED_TEST_GATEWAY` names another one than the build's, an installed one say.
  package static let command = ProcessEnvironment.value("SPEED_TEST_GATEWAY") ?? "\(folder)/speed-gateway"

  /// The build's folder: the test bundle lies there too.
  package static let folder = String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])

  /// The package's folder: the nearest one above the build that holds a manifest.
  package static let package = {
    var folder = Built.folder[...]
    while !folder.isEmpty {
      if unsafe access("\(folder)/Package.swift", R_OK) == 0 { return String(folder) }
      folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    }
    return "."
  }()

  private static let own = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
