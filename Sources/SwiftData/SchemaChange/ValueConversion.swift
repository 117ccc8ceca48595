import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Converts stored values of one type to another.
struct ValueConversion {
  /// The expression for the new value.
  let expression: String
  /// A condition that is true for values that would be lost; `nil` if no value is lost.
  private let loss: String?
  /// Whether the new type has no NaN.
  private let losesNaN: Bool

  /// Whether another database type holds the same values, such as truth values as numbers.
  let isSameValue: Bool
  private let sql: ChangeSQL

  /// The condition for rows that would lose their value.
  func loss(of stored: AttributeDescription, in column: String) -> String? {
    let hasLeftContext = loss.map { "\(column) IS NOT NULL AND (\($0))" }
    guard losesNaN, stored.type.isFloat,
      let isNaN = sql.isNaN(column, isOptional: stored.isOptional)
    else { return hasLeftContext }
    return isNaN + (hasLeftContext.map { " OR \($0)" } ?? "")
  }

  private init(
    _ expression: String, _ sql: ChangeSQL, losing loss: String? = nil, losesNaN: Bool = false,
    isSameValue: Bool = false
  ) {
    self.expression = expression
    self.loss = loss
    self.losesNaN = losesNaN
    self.isSameValue = isSameValue
    self.sql = sql
  }

  /// - Parameters:
  ///   - column: The column of the value, in quotes.
  ///   - integers: The old and new Swift types of integers, if they are known.
  ///   - checksLists: Whether lists with other elements are checked one by one, so that those that fit stay.
  ///   - sql: The SQL of the database.
  /// - Returns: `nil` if the types cannot be converted.
  init?(
    _ column: String, from stored: AttributeDescription, to current: AttributeDescription,
    integers: IntegerTypes = IntegerTypes(), checksLists: Bool = false, _ sql: ChangeSQL
  ) {
    switch (stored.type, current.type) {
    case (.transformable, .transformable):
      guard checksLists || !stored.hasOtherElements(than: current) else { return nil }
      self.init(column, sql)
    case let (old, new) where old.isInteger && new.isInteger:
      self.init(column, sql, losing: integers.loss(of: column, from: old, to: new))
    case let (old, new) where old == new: self.init(column, sql)
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64):
      self.init(sql.integer(fromBoolean: column), sql, isSameValue: true)
    case let (old, .boolean) where old.isInteger:
      self.init(
        sql.boolean(fromInteger: column), sql, losing: "\(column) NOT IN (0, 1)", isSameValue: true)
    case let (old, .double) where old.isInteger, let (old, .float) where old.isInteger:
      // Larger integers may have no exact floating-point value.
      let limit = current.type == .double ? "9007199254740992" : "16777216"
      let first = integers.isStoredUnsigned ? "0" : "-\(limit)"
      self.init(
        sql.real(column), sql, losing: "\(column) NOT BETWEEN \(first) AND \(limit)")
    case let (old, new) where old.isFloat && new.isInteger:
      let (lower, upper) = integers.bounds(new)
      // The largest integer has no exact floating-point value, so the comparison uses the next
      // number.
      let above =
        upper == .max ? "\(column) >= 9223372036854775807.0" : "\(column) > \(upper)"
      self.init(
        sql.integer(fromReal: column), sql,
        losing:
          "\(column) <> \(sql.integer(fromReal: column)) OR \(above) OR \(column) < \(lower.literal)",
        losesNaN: true)
    case (.float, .double): self.init(column, sql)
    case (.double, .float): self.init(column, sql, losing: "NOT \(sql.isFloat(column))")
    case let (old, .decimal) where old.isInteger:
      self.init(column, sql, losing: integers.isStoredUnsigned ? "\(column) < 0" : nil)
    case (.uri, .string): self.init(column, sql)
    default: return nil
    }
  }
}

/// The old and new Swift type of an integer. Types of different sizes share a column type, and
/// unsigned 64-bit integers are stored as bit patterns.
struct IntegerTypes: Sendable {
  /// `nil` if the file does not record it.
  var stored: ScalarType?
  /// `nil` for a model without classes.
  var current: ScalarType?

  var isStoredUnsigned: Bool { stored?.isUnsigned64 ?? false }

  /// The condition on the column that the number would be different in the new type.
  fileprivate func loss(of column: String, from old: AttributeType, to new: AttributeType)
    -> String?
  {
    let isUnsigned = current?.isUnsigned64 ?? false
    if isUnsigned, stored == nil ? old == .integer64 : isStoredUnsigned { return nil }
    let (lower, upper) = bounds(new)
    let known = stored?.traits.integers ?? (isStoredUnsigned ? nil : old.range)
    if let known, known.lowerBound >= lower, known.upperBound <= upper { return nil }
    return lower == .min && upper == .max
      ? isStoredUnsigned ? "\(column) < 0" : nil
      : "\(column) NOT BETWEEN \(max(lower, isStoredUnsigned ? 0 : .min).literal) AND \(upper)"
  }

  /// The numbers that are stored unchanged in the new type.
  fileprivate func bounds(_ new: AttributeType) -> (lower: Int64, upper: Int64) {
    if current?.isUnsigned64 ?? false { return (0, .max) }
    let range = current?.traits.integers ?? new.range
    return range.map { ($0.lowerBound, $0.upperBound) } ?? (.min, .max)
  }
}

extension Int64 {
  /// The smallest integer has no SQL literal.
  fileprivate var literal: String { _StoredValue.integer(self).literal }
}

extension AttributeType {
  fileprivate var isInteger: Bool { range != nil }

  /// Whether it is a floating-point type, for which null is read as NaN.
  var isFloat: Bool { self == .double || self == .float }

  fileprivate var range: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: .min ... .max
    default: nil
    }
  }
}
