public import Foundation
public import OpenSwiftDataRowStorage

extension Data: ScalarCoding {
  package static var scalarType: ScalarType { .data }

  package var storedValue: _StoredValue { .blob(self) }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .blob(let bytes): self = bytes
    case .text(let text): self.init(text.utf8)
    case .null, .integer, .real: return nil
    }
  }
}

extension Data: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> Data? { Data(row.bytes(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> Data? {
    if case .blob(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .blob(self) }
  @inlinable public static var _empty: Data { Data() }
}

extension UUID: ScalarCoding {
  package static var scalarType: ScalarType { .uuid }

  package var storedValue: _StoredValue {
    .blob(withUnsafeBytes(of: uuid) { Data($0) })
  }

  package init?(storedValue: _StoredValue) {
    switch storedValue {
    case .blob(let bytes) where bytes.count == 16:
      var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      _ = withUnsafeMutableBytes(of: &value) { bytes.copyBytes(to: $0) }
      self.init(uuid: value)
    case .text(let text): self.init(uuidString: text)
    case .null, .integer, .real, .blob: return nil
    }
  }
}

extension UUID: _ScalarAttribute {
  @inlinable
  public static func _read(_ row: RowReader, _ cell: Int) -> UUID? {
    let bytes = row.bytes(cell)
    guard bytes.count == 16 else { return text(row, cell) }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  /// A UUID that another program stored as text.
  @usableFromInline
  static func text(_ row: RowReader, _ cell: Int) -> UUID? { UUID(uuidString: row.text(cell)) }

  @inlinable
  public static func _unwrap(_ slot: _SlotValue) -> UUID? {
    if case .uuid(let value) = slot { return value }
    return nil
  }

  @inlinable public var _slotValue: _SlotValue { .uuid(self) }

  @inlinable
  public static var _empty: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}
