/// The release that this executable is.
enum Release {
  static let version = "0.1.0"
}
