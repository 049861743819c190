import GatewayBase

/// A picture beside an app's name on pages. It is read when a page is made, so it can be replaced at any time.
package struct LogoFile: Sendable, Equatable {
  /// As the process can open it.
  package let path: String

  private static let mediaTypes = [
    "png": "image/png", "svg": "image/svg+xml", "webp": "image/webp", "jpg": "image/jpeg", "jpeg": "image/jpeg",
  ]

  /// - Returns: nil for a file whose name does not end as that of a picture.
  init?(path: String) {
    guard Self.mediaTypes[Self.ending(of: path)] != nil else { return nil }
    self.path = path
  }

  private static func ending(of path: String) -> String {
    FilePath.lastComponent(path).split(separator: ".").dropFirst().last.map { $0.lowercased() } ?? ""
  }

  /// The media type (RFC 6838) that the name's ending stands for.
  package var mediaType: String { Self.mediaTypes[Self.ending(of: path)] ?? "application/octet-stream" }

  /// The file as it is now; nil where it can't be read, is empty or over 12 KiB.
  package func bytes() -> [UInt8]? {
    guard let bytes = try? FileSystem.read(path, limit: Limits.logo), (1...Limits.logo).contains(bytes.count) else {
      return nil
    }
    return bytes
  }
}

extension ValueType where Value == LogoFile {
  /// The path of a picture. Warns where the file can't be shown at present.
  static var logoFile: ValueType {
    ValueType(shape: ValueType<String>.path.shape) { node, diagnostics in
      guard let path = ValueType<String>.path.read(node, diagnostics) else { return nil }
      guard let logo = LogoFile(path: path) else {
        diagnostics.invalid(
          node.place, "\(Quoted(path)) is no picture that pages show", hint: "name a .png, .svg, .webp or .jpg file")
        return nil
      }
      if logo.bytes() == nil {
        diagnostics.warning(
          .unusableLogo, at: node.place,
          "the file \(Quoted(path)) is absent, empty, unreadable or over \(Limits.logo / 1024) KiB",
          hint: "a path is relative to the file that holds it; until the picture is there pages show the name alone")
      }
      return logo
    }
  }
}
