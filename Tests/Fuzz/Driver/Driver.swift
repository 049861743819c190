import FuzzTargets
import Glibc

// The entry points that libFuzzer calls. `scripts/fuzz` builds this file; the package does not know it.

/// The target that FUZZ_TARGET names.
private let target: FuzzTarget = {
  let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print("FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(2)
  }
  return target
}()

/// Called once, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
  _ = target
  return 0
}

/// Called with each input; a broken property ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try target.run(bytes)
  } catch {
    fatalError("\(error)")
  }
  return 0
}
