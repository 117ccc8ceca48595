import Foundation

/// The types that fill one column by themselves.
///
/// A new one gets a case, a row in the table below, and a file in `Model/Scalars` that conforms the
/// Swift type to `ScalarCoding` and `_ScalarAttribute`. Everything else asks the table.
package enum ScalarType: UInt8, Sendable, Hashable, CaseIterable {
  case int, int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64
  case bool
  case double, float
  case string, date, uuid, data, url, decimal
}

/// What the library knows of a scalar type besides its coding.
package struct ScalarTraits: Sendable {
  package typealias SwiftType = any (ScalarCoding & Codable & Hashable & Sendable).Type

  package let swiftType: SwiftType
  package let column: ScalarColumn
  package let order: ScalarOrder
  /// The numbers of an integer type that fits into 64 signed bits.
  package let integers: Swift.ClosedRange<Int64>?
  /// What a required part of a composite reads as where nothing is stored. SQLite stores a NaN as
  /// null, so a number reads as NaN.
  package let empty: _StoredValue
  /// Whether a model keeps values in a box, because a slot has no form for them.
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

/// The kinds of columns, as the store's layout tells them apart.
package enum ScalarColumn: Sendable, Hashable {
  case integer, boolean, real, date, decimal, text, uri, uuid, binary
}

/// How the order of a type's values follows from the order of what is stored.
package enum ScalarOrder: Sendable, Hashable {
  /// The stored values are in the order of the values.
  case stored
  /// By Unicode's canonical form.
  case text
  /// The upper half of the values is stored below zero.
  case unsigned
  /// Numbers, with long ones as text.
  case decimal
  /// Swift has no order of the type, or one that only the database's sorting follows.
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
  /// The row of the table.
  package var traits: ScalarTraits { ScalarTraits.table[Int(rawValue)] }

  /// The Swift type whose values these are.
  package var swiftType: ScalarTraits.SwiftType { traits.swiftType }

  /// Whether SQL's arithmetic gives what Swift's gives. Unsigned 64-bit columns hold bit patterns.
  package var computesInSQL: Bool {
    isInteger || traits.column == .real || traits.column == .decimal
  }

  /// Whether it is an integer type that fits into 64 signed bits.
  package var isInteger: Bool { traits.integers != nil }

  /// Whether the stored forms of values are in the order of the values.
  package var ordersAsStored: Bool { traits.order == .stored || traits.order == .text }
}
