import Foundation

/// The types that are stored in one column.
///
/// A new type needs a case, a row in the table below, and a file in `Model/Scalars` that conforms
/// the Swift type to `ScalarCoding` and `_ScalarAttribute`. All other code uses the table.
package enum ScalarType: UInt8, Sendable, Hashable, CaseIterable {
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case bool
  case double, float
  case string, date, uuid, data, url, decimal
}

/// The properties of a scalar type, except its coding.
package struct ScalarTraits: Sendable {
  package typealias SwiftType = any (ScalarCoding & Codable & Hashable & Sendable).Type

  package let swiftType: SwiftType
  package let column: ScalarColumn
  package let order: ScalarOrder
  /// The range of an integer type that fits into a signed 64-bit integer.
  package let integers: Swift.ClosedRange<Int64>?
  /// The value of a required part of a composite if nothing is stored. SQLite stores a NaN as null,
  /// so for floating-point numbers it is NaN.
  package let empty: _StoredValue
  /// Whether a model keeps values in a box, because `_SlotValue` has no case for them.
  package let isBoxed: Bool

  private init(
    _ swiftType: SwiftType, _ column: ScalarColumn, _ order: ScalarOrder,
    empty: _StoredValue = .integer(0), integers: Swift.ClosedRange<Int64>? = nil,
    isBoxed: Bool = false
  ) {
    self.swiftType = swiftType
    self.column = column
    self.order = order
    self.integers = integers
    self.empty = empty
    self.isBoxed = isBoxed
  }
}

/// The kinds of columns in the store's layout.
package enum ScalarColumn: Sendable, Hashable {
  case integer, boolean, real, date, decimal, text, uri, uuid, binary
}

/// How the order of values relates to the order of stored values.
package enum ScalarOrder: Sendable, Hashable {
  /// The stored values have the same order.
  case stored
  /// Ordered by Unicode's canonical form.
  case text
  /// The upper half of the values is stored as negative numbers.
  case unsigned
  /// Numbers; long ones are stored as text.
  case decimal
  /// Swift has no order for the type, or one that only the database's sorting supports.
  case bytes
  /// The values cannot be sorted.
  case none
}

extension ScalarTraits {
  fileprivate init(_ type: ScalarType) {
    switch type {
    case .int: self = .integer(Int.self)
    case .int8: self = .integer(Int8.self)
    case .int16: self = .integer(Int16.self)
    case .int32: self = .integer(Int32.self)
    case .int64: self = .integer(Int64.self)
    case .uint: self.init(UInt.self, .integer, .unsigned)
    case .uint8: self = .integer(UInt8.self)
    case .uint16: self = .integer(UInt16.self)
    case .uint32: self = .integer(UInt32.self)
    case .uint64: self.init(UInt64.self, .integer, .unsigned)
    case .bool: self.init(Bool.self, .boolean, .bytes)
    case .double: self.init(Double.self, .real, .stored, empty: .real(.nan))
    case .float: self.init(Float.self, .real, .stored, empty: .real(.nan))
    case .string: self.init(String.self, .text, .text, empty: .text(""))
    case .date: self.init(Date.self, .date, .stored, empty: .real(0))
    case .uuid: self.init(UUID.self, .uuid, .bytes, empty: .blob(Data(count: 16)))
    case .data: self.init(Data.self, .binary, .bytes, empty: .blob(Data()))
    case .url: self.init(URL.self, .uri, .none, empty: .text("file:///"), isBoxed: true)
    case .decimal: self.init(Decimal.self, .decimal, .decimal, isBoxed: true)
    }
  }

  private static func integer<T: FixedWidthInteger & ScalarCoding & Codable & Sendable>(
    _ type: T.Type
  ) -> ScalarTraits {
    ScalarTraits(type, .integer, .stored, integers: Int64(type.min)...Int64(type.max))
  }

  fileprivate static let table = ScalarType.allCases.map { ScalarTraits($0) }
}

extension ScalarType {
  /// The type's row of the table.
  package var traits: ScalarTraits { ScalarTraits.table[Int(rawValue)] }

  /// The Swift type of the values.
  package var swiftType: ScalarTraits.SwiftType { traits.swiftType }

  /// Whether SQL arithmetic gives the same results as Swift. Unsigned 64-bit columns contain bit
  /// patterns.
  package var computesInSQL: Bool {
    isInteger || traits.column == .real || traits.column == .decimal
  }

  /// Whether it is an integer type that fits into a signed 64-bit integer.
  package var isInteger: Bool { traits.integers != nil }

  /// Whether a NaN is possible, which SQLite stores as null.
  package var storesNaNAsNull: Bool { traits.column == .real }

  /// Whether stored values have the order of the values.
  package var ordersAsStored: Bool { traits.order == .stored || traits.order == .text }
}
