import CMariaDB

/// The columns of a statement's result, and the memory that a row is fetched into.
@safe final class MariaDBResult {
  private enum Kind { case integer, text, blob }

  /// Bytes kept ready for a column; a longer value is fetched by itself.
  private static let ready = 256

  let binds: UnsafeMutablePointer<MYSQL_BIND>
  private let kinds: [Kind]
  private let buffers: UnsafeMutableRawPointer
  private let lengths: UnsafeMutablePointer<UInt>
  private let nulls: UnsafeMutablePointer<my_bool>

  /// Nil for a statement without a result.
  init?(of statement: UnsafeMutablePointer<MYSQL_STMT>) {
    guard let metadata = unsafe mysql_stmt_result_metadata(statement) else { return nil }
    defer { unsafe mysql_free_result(metadata) }
    let count = Int(unsafe mysql_num_fields(metadata))
    kinds = unsafe UnsafeBufferPointer(start: mysql_fetch_fields(metadata), count: count).map {
      unsafe Self.kind(of: $0)
    }
    unsafe binds = .allocate(capacity: count)
    unsafe buffers = .allocate(byteCount: count * Self.ready, alignment: 8)
    unsafe lengths = .allocate(capacity: count)
    unsafe nulls = .allocate(capacity: count)
    unsafe lengths.initialize(repeating: 0, count: count)
    unsafe nulls.initialize(repeating: 0, count: count)
    for (index, kind) in kinds.enumerated() {
      var bind = unsafe MYSQL_BIND()
      unsafe bind.buffer_type = kind == .integer ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB
      unsafe bind.buffer = unsafe buffers + index * Self.ready
      unsafe bind.buffer_length = UInt(Self.ready)
      unsafe bind.length = unsafe lengths + index
      unsafe bind.is_null = unsafe nulls + index
      unsafe (binds + index).initialize(to: bind)
    }
  }

  deinit {
    unsafe binds.deallocate()
    unsafe buffers.deallocate()
    unsafe lengths.deallocate()
    unsafe nulls.deallocate()
  }

  /// The values of the row that `statement` has just fetched.
  func values(of statement: UnsafeMutablePointer<MYSQL_STMT>) -> [SQLValue] {
    kinds.enumerated().map { index, kind in
      if unsafe nulls[index] != 0 { return .null }
      switch kind {
      case .integer: return .integer(unsafe buffers.load(fromByteOffset: index * Self.ready, as: Int64.self))
      case .text: return .text(unsafe String(decoding: bytes(index, statement), as: UTF8.self))
      case .blob: return .blob(unsafe bytes(index, statement))
      }
    }
  }

  private func bytes(_ index: Int, _ statement: UnsafeMutablePointer<MYSQL_STMT>) -> [UInt8] {
    let length = Int(unsafe lengths[index])
    if length <= Self.ready {
      return unsafe Array(UnsafeRawBufferPointer(start: buffers + index * Self.ready, count: length))
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      var bind = unsafe MYSQL_BIND()
      var fetched: UInt = 0
      unsafe bind.buffer_type = MYSQL_TYPE_BLOB
      unsafe bind.buffer = UnsafeMutableRawPointer(buffer.baseAddress)
      unsafe bind.buffer_length = UInt(length)
      let code = unsafe withUnsafeMutablePointer(to: &fetched) { pointer in
        unsafe bind.length = unsafe pointer
        return unsafe mysql_stmt_fetch_column(statement, &bind, UInt32(index), 0)
      }
      count = code == 0 ? length : 0
    }
  }

  private static func kind(of field: MYSQL_FIELD) -> Kind {
    switch unsafe field.type {
    case MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_LONG, MYSQL_TYPE_INT24, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_YEAR:
      .integer
    // What SUM makes of integers.
    case MYSQL_TYPE_NEWDECIMAL, MYSQL_TYPE_DECIMAL: unsafe field.decimals == 0 ? .integer : .text
    case MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_BLOB, MYSQL_TYPE_VAR_STRING,
      MYSQL_TYPE_STRING, MYSQL_TYPE_VARCHAR:
      // 63 is the character set "binary".
      unsafe field.charsetnr == 63 ? .blob : .text
    default: .text
    }
  }
}
