import CMariaDB

/// The bound values of one run, in memory that lives as long as this object.
@safe final class MariaDBParameters {
  let binds: UnsafeMutablePointer<MYSQL_BIND>
  private let buffers: [UnsafeMutableRawBufferPointer]

  init(_ values: [SQLValue]) {
    unsafe binds = .allocate(capacity: max(1, values.count))
    var buffers: [UnsafeMutableRawBufferPointer] = unsafe []
    for (index, value) in values.enumerated() {
      var bind = unsafe MYSQL_BIND()
      switch value {
      case .null: unsafe bind.buffer_type = MYSQL_TYPE_NULL
      case .integer(let number):
        unsafe bind.buffer_type = MYSQL_TYPE_LONGLONG
        unsafe buffers.append(Self.copy(withUnsafeBytes(of: number) { unsafe Array($0) }, into: &bind))
      case .text(let text):
        unsafe bind.buffer_type = MYSQL_TYPE_STRING
        unsafe buffers.append(Self.copy(Array(text.utf8), into: &bind))
      case .blob(let bytes):
        unsafe bind.buffer_type = MYSQL_TYPE_BLOB
        unsafe buffers.append(Self.copy(bytes, into: &bind))
      }
      unsafe (binds + index).initialize(to: bind)
    }
    unsafe self.buffers = unsafe buffers
  }

  deinit {
    unsafe buffers.forEach { unsafe $0.deallocate() }
    unsafe binds.deallocate()
  }

  private static func copy(_ bytes: [UInt8], into bind: inout MYSQL_BIND) -> UnsafeMutableRawBufferPointer {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    unsafe buffer.copyBytes(from: bytes)
    unsafe bind.buffer = buffer.baseAddress
    unsafe bind.buffer_length = UInt(bytes.count)
    // Without a pointer to a length the library takes this one.
    unsafe bind.length_value = UInt(bytes.count)
    return unsafe buffer
  }
}
