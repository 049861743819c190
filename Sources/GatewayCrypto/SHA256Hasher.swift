import COpenSSL

/// Computes SHA-256 again and again with one context: for event loops, which hash a token on every request.
///
/// Not Sendable: each loop has its own. Fetching the algorithm and making the context at each call would double the cost.
@safe package final class SHA256Hasher {
  private let algorithm: OpaquePointer
  private let context: OpaquePointer

  package init() {
    guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil), let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1
    else { preconditionFailure("OpenSSL has no SHA-256") }
    unsafe self.algorithm = unsafe algorithm
    unsafe self.context = unsafe context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
    unsafe EVP_MD_free(algorithm)
  }

  package func digest(_ bytes: Span<UInt8>) -> SHA256Digest {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // The three calls fail only where the context has no algorithm, and `init` has seen to that.
    let done = unsafe bytes.withUnsafeBufferPointer { input in
      unsafe withUnsafeMutableBytes(of: &words) { output in
        unsafe EVP_DigestInit_ex2(context, nil, nil) == 1
          && EVP_DigestUpdate(context, input.baseAddress, input.count) == 1
          && EVP_DigestFinal_ex(context, output.bindMemory(to: UInt8.self).baseAddress, nil) == 1
      }
    }
    precondition(done, "SHA-256 failed")
    return SHA256Digest(bigEndianWords: words)
  }
}
