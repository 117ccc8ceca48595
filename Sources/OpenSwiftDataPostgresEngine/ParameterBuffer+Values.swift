package import Foundation

// A value is converted to the type of its parameter only if nothing is lost.

extension ParameterBuffer {
  package mutating func bind(_ value: Int64, at number: Int) throws {
    let index = try index(number)
    switch types[index] {
    case .bigint: try set(index) { $0.appendBigEndian(value) }
    case .integer: try setInteger(Int32(exactly: value), index)
    case .smallint: try setInteger(Int16(exactly: value), index)
    case .oid: try setInteger(UInt32(exactly: value), index)
    case .boolean where value == 0 || value == 1: try set(index) { $0.append(UInt8(value)) }
    case .numeric: try set(index) { NumericCoding.encode(Decimal(value), to: &$0) }
    case .double where Int64(exactly: Double(value)) == value:
      try set(index) { $0.appendBigEndian(Double(value).bitPattern) }
    default: throw mismatch("an integer", index)
    }
  }

  package mutating func bind(_ value: Bool, at number: Int) throws {
    let index = try index(number)
    guard types[index] == .boolean else { return try bind(value ? 1 : 0 as Int64, at: number) }
    try set(index) { $0.append(value ? 1 : 0) }
  }

  package mutating func bind(_ value: Double, at number: Int) throws {
    let index = try index(number)
    switch types[index] {
    case .double: try set(index) { $0.appendBigEndian(value.bitPattern) }
    case .real where Double(Float(value)) == value || value.isNaN:
      try set(index) { $0.appendBigEndian(Float(value).bitPattern) }
    case .bigint, .integer, .smallint, .boolean:
      guard let whole = Int64(exactly: value) else { throw mismatch("a fraction", index) }
      try bind(whole, at: number)
    case .numeric:
      // The shortest digits that make the same number: exact for decimals of 15 digits.
      let text =
        value.isFinite ? "\(value)" : value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
      try set(index, format: 0) { $0.append(contentsOf: text.utf8) }
    default: throw mismatch("a floating-point number", index)
    }
  }

  package mutating func bind(_ value: Float, at number: Int) throws {
    let index = try index(number)
    guard types[index] == .real else { return try bind(Double(value), at: number) }
    try set(index) { $0.appendBigEndian(value.bitPattern) }
  }

  package mutating func bind(_ value: Decimal, at number: Int) throws {
    let index = try index(number)
    guard types[index] == .numeric else { throw mismatch("a decimal number", index) }
    try set(index) { NumericCoding.encode(value, to: &$0) }
  }

  package mutating func bind(_ value: String, at number: Int) throws {
    let index = try index(number)
    var value = value
    try value.withUTF8 { utf8 in
      let text = UnsafeRawBufferPointer(utf8)
      let format = try textFormat(text, index)
      try set(index, format: format) { $0.append(contentsOf: text) }
    }
  }

  /// Binds UTF-8 text in memory that exists until the statement is sent.
  package mutating func bind(borrowedText text: UnsafeRawBufferPointer, at number: Int) throws {
    let index = try index(number)
    let format = try textFormat(text, index)
    // In text form a zero byte ends the value.
    if format == 1 { return try borrow(index, text) }
    try set(index, format: format) { $0.append(contentsOf: text) }
  }

  package mutating func bind(bytes value: UnsafeRawBufferPointer, at number: Int) throws {
    let index = try index(number)
    try checkBytes(value, index)
    try set(index) { $0.append(contentsOf: value) }
  }

  /// Binds bytes in memory that exists until the statement is sent.
  package mutating func bind(borrowedBytes value: UnsafeRawBufferPointer, at number: Int) throws {
    let index = try index(number)
    try checkBytes(value, index)
    try borrow(index, value)
  }

  package mutating func bind(_ value: Data, at number: Int) throws {
    try value.withUnsafeBytes { try bind(bytes: $0, at: number) }
  }

  /// Binds bytes without copying them, and retains them until the parameters are cleared.
  package mutating func bind(retained value: Data, at number: Int) throws {
    let index = try index(number)
    // The memory of a `Data` of this size is on the heap, and stays where it is while it is retained and
    // not changed. `LargeValueTests` would find other bytes.
    try value.withUnsafeBytes { bytes in
      try checkBytes(bytes, index)
      try borrow(index, bytes)
    }
    retain(value)
  }

  package mutating func bind(_ value: UUID, at number: Int) throws {
    try withUnsafeBytes(of: value.uuid) { try bind(bytes: $0, at: number) }
  }

  /// Binds an array of integers, for `= ANY($1)` and `unnest($1)`.
  package mutating func bind(_ values: [Int64], at number: Int) throws {
    let index = try index(number)
    guard types[index] == .bigintArray else { throw mismatch("an array of integers", index) }
    try set(index) { bytes in
      bytes.appendArrayHeader(.bigint, count: values.count, hasNulls: false)
      for value in values {
        bytes.appendBigEndian(8 as Int32)
        bytes.appendBigEndian(value)
      }
    }
  }

  package mutating func bind(_ value: PostgresValue, at number: Int) throws {
    switch value {
    case .null: try bindNull(at: number)
    case .boolean(let value): try bind(value, at: number)
    case .integer(let value): try bind(value, at: number)
    case .double(let value): try bind(value, at: number)
    case .real(let value): try bind(value, at: number)
    case .numeric(let value): try bind(value, at: number)
    case .text(let value): try bind(value, at: number)
    case .bytes(let value): try bind(value, at: number)
    case .uuid(let value): try bind(value, at: number)
    case .array(let values): try bindArray(values, at: number)
    }
  }

  private mutating func bindArray(_ values: [PostgresValue], at number: Int) throws {
    let index = try index(number)
    guard let element = types[index].element else { throw mismatch("an array", index) }
    var elements = ParameterBuffer(Array(repeating: element, count: values.count))
    do {
      for (offset, value) in values.enumerated() { try elements.bind(value, at: offset + 1) }
    } catch var error as PostgresError {
      error.parameter = number
      throw error
    }
    try set(index) { bytes in
      bytes.appendArrayHeader(element, count: values.count, hasNulls: values.contains(.null))
      elements.withValues { count, pointers, lengths, _ in
        for offset in 0..<Int(count) {
          guard let pointer = pointers?[offset], let length = lengths?[offset] else {
            bytes.appendBigEndian(-1 as Int32)
            continue
          }
          bytes.appendBigEndian(length)
          bytes.append(contentsOf: UnsafeRawBufferPointer(start: pointer, count: Int(length)))
        }
      }
    }
  }

  // MARK: Checks

  private mutating func setInteger(_ value: (some FixedWidthInteger)?, _ index: Int) throws {
    guard let value else {
      throw failure("an integer is too large for the type \(types[index])", index)
    }
    try set(index) { $0.appendBigEndian(value) }
  }

  /// The format of a text: binary where that is the text itself; the server reads values of other
  /// types from a text.
  private func textFormat(_ text: UnsafeRawBufferPointer, _ index: Int) throws -> Int32 {
    if let base = text.baseAddress, memchr(base, 0, text.count) != nil {
      throw failure(
        "the text contains the character U+0000, which PostgreSQL cannot store in a text. Remove "
          + "it, or store the value as Data", index)
    }
    switch types[index] {
    case .bytea, .uuid: throw mismatch("a text", index)
    case let type: return type.isText ? 1 : 0
    }
  }

  private func checkBytes(_ value: UnsafeRawBufferPointer, _ index: Int) throws {
    switch types[index] {
    case .bytea: return
    case .uuid where value.count == 16: return
    default: throw mismatch("a value of \(value.count) bytes", index)
    }
  }

  private func mismatch(_ what: String, _ index: Int) -> PostgresError {
    failure("\(what) cannot be stored as \(types[index]) without a loss; cast it in SQL", index)
  }
}

extension [UInt8] {
  mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// The header of an array with one dimension.
  mutating func appendArrayHeader(_ element: PostgresType, count: Int, hasNulls: Bool) {
    appendBigEndian(count == 0 ? 0 : 1 as Int32)
    appendBigEndian(hasNulls ? 1 : 0 as Int32)
    appendBigEndian(element.rawValue)
    if count == 0 { return }
    appendBigEndian(Int32(count))
    appendBigEndian(1 as Int32)
  }
}
