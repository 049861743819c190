import CIDN2
import GatewayBase

extension HostName {
  /// The canonical form of a name that a person wrote: `APP.example`, `app.example.`, `bücher.example` and
  /// `xn--bcher-kva.example` (with or without a port) each come to one value.
  ///
  /// IDNA 2008 (RFC 5891) behind the mapping of UTS 46, non-transitional, with the ASCII rules of STD 3. A host that
  /// came with a request is never read by this: there, bytes outside ASCII are refused.
  package init?(international text: String) {
    guard text.utf8.contains(where: { $0 >= 0x80 }) || text.lowercased().holds("xn--") else {
      self.init(text)
      return
    }
    guard text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 1 || PortNumber.parse(parts[1]) != nil, let ascii = asciiName(String(parts[0])) else {
      return nil
    }
    self.init(ascii)
  }
}

/// The ASCII form by libidn2, or nil.
private func asciiName(_ name: String) -> String? {
  let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue | IDN2_USE_STD3_ASCII_RULES.rawValue)
  var output: UnsafeMutablePointer<CChar>?
  guard unsafe idn2_to_ascii_8z(name, &output, flags) == IDN2_OK.rawValue, let result = unsafe output else {
    return nil
  }
  defer { unsafe idn2_free(result) }
  return unsafe String(cString: result)
}
