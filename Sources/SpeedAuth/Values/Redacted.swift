/// A value that holds credentials or personal data: every way to print one prints the name of its type alone, so that
/// none gets into a log, an error or a crash report.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// `<Name>`, without content.
  public var description: String { "<\(Self.self)>" }
  /// `<Name>`, without content.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
