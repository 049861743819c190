/// Reads a trailer section (RFC 9110 section 6.5).
package enum TrailerSection {
  /// Reads the lines of `section`, which the empty line ends, into `fields`; false where one is malformed.
  package static func parse(_ section: Span<UInt8>, into fields: inout FieldTable) -> Bool {
    fields.removeAll()
    do throws(HeadFault) {
      try FieldSection.parse(section, from: 0, into: &fields)
      return true
    } catch {
      return false
    }
  }
}
