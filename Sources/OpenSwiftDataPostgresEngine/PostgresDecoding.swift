import Foundation

/// The binary forms of values. Each function returns `nil` for another type or a wrong length.
enum PostgresDecoding {
  static func integer(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) throws -> Int64? {
    switch type {
    case .bigint: bigEndian(bytes)
    case .integer: bigEndian(bytes).map { (value: Int32) in Int64(value) }
    case .smallint: bigEndian(bytes).map { (value: Int16) in Int64(value) }
    case .oid: bigEndian(bytes).map { (value: UInt32) in Int64(value) }
    case .boolean: boolean(bytes).map { $0 ? 1 : 0 }
    case .numeric: try NumericCoding.decodeInteger(bytes)
    default: nil
    }
  }

  static func double(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) throws -> Double? {
    switch type {
    case .double: bigEndian(bytes).map { (bits: UInt64) in Double(bitPattern: bits) }
    case .real: bigEndian(bytes).map { (bits: UInt32) in Double(Float(bitPattern: bits)) }
    case .bigint, .integer, .smallint:
      try integer(bytes, type).flatMap { Double(exactly: $0) }
    default: nil
    }
  }

  static func value(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) throws -> PostgresValue?
  {
    switch type {
    case .boolean: boolean(bytes).map { .boolean($0) }
    case .bigint, .integer, .smallint, .oid: try integer(bytes, type).map { .integer($0) }
    case .double: try double(bytes, type).map { .double($0) }
    case .real:
      bigEndian(bytes).map { (bits: UInt32) in .real(Float(bitPattern: bits)) }
    case .numeric: try NumericCoding.decode(bytes).map { .numeric($0) }
    case .bytea: .bytes(Data(bytes))
    case .uuid: uuid(bytes).map { .uuid($0) }
    case _ where type.element != nil: try array(bytes, type)
    case _ where type.isText: String(validating: bytes, as: UTF8.self).map { .text($0) }
    default: nil
    }
  }

  static func boolean(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guard bytes.count == 1, bytes[0] <= 1 else { return nil }
    return bytes[0] == 1
  }

  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
    bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
  }

  private static func array(
    _ bytes: UnsafeRawBufferPointer, _ type: PostgresType
  ) throws -> PostgresValue? {
    var rest = bytes
    func word() -> Int32? {
      guard rest.count >= 4 else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(4)) }
      return rest.loadUnaligned(as: Int32.self).bigEndian
    }
    guard let dimensions = word(), word() != nil, let number = word() else { return nil }
    if dimensions == 0 { return .array([]) }
    guard dimensions == 1, let count = word(), word() != nil, count >= 0 else { return nil }
    let element = PostgresType(rawValue: UInt32(bitPattern: number))
    var values: [PostgresValue] = []
    for _ in 0..<count {
      guard let length = word() else { return nil }
      if length < 0 {
        values.append(.null)
        continue
      }
      guard Int(length) <= rest.count,
        let value = try value(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))), element)
      else { return nil }
      values.append(value)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length)))
    }
    return .array(values)
  }

  private static func bigEndian<T: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> T? {
    guard bytes.count == MemoryLayout<T>.size else { return nil }
    return T(bigEndian: bytes.loadUnaligned(as: T.self))
  }
}
