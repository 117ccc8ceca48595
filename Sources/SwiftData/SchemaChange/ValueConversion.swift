import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// How stored values of one type become values of another.
struct ValueConversion {
  /// The value of the new type.
  let expression: String
  /// Holds for values that would be lost; `nil` where none is.
  private let loss: String?
  /// Whether the new type has no NaN.
  private let losesNaN: Bool

  /// The condition on rows that would lose their value. A required floating-point number without a stored
  /// value is NaN.
  func loss(of stored: AttributeDescription, in column: String) -> String? {
    let isLost = loss.map { "\(column) IS NOT NULL AND (\($0))" }
    guard losesNaN, stored.type.isFloat, !stored.isOptional else { return isLost }
    return "\(column) IS NULL" + (isLost.map { " OR \($0)" } ?? "")
  }

  private init(_ expression: String, losing loss: String? = nil, losesNaN: Bool = false) {
    self.expression = expression
    self.loss = loss
    self.losesNaN = losesNaN
  }

  /// - Parameters:
  ///   - column: The column of the value, quoted.
  ///   - integers: The Swift types of integers before and now, where they are known.
  /// - Returns: `nil` where values of one type are none of the other.
  init?(
    _ column: String, from stored: AttributeDescription, to current: AttributeDescription,
    integers: IntegerTypes = IntegerTypes()
  ) {
    switch (stored.type, current.type) {
    case (.transformable, .transformable):
      guard !stored.hasOtherElements(than: current) else { return nil }
      self.init(column)
    case let (old, new) where old.isInteger && new.isInteger:
      self.init(column, losing: integers.loss(of: column, from: old, to: new))
    case let (old, new) where old == new: self.init(column)
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): self.init(column)
    case let (old, .boolean) where old.isInteger:
      self.init(column, losing: "\(column) NOT IN (0, 1)")
    case let (old, .double) where old.isInteger, let (old, .float) where old.isInteger:
      // Beyond these numbers not every integer is a floating-point number.
      let limit = current.type == .double ? "9007199254740992" : "16777216"
      let first = integers.isStoredUnsigned ? "0" : "-\(limit)"
      self.init("CAST(\(column) AS REAL)", losing: "\(column) NOT BETWEEN \(first) AND \(limit)")
    case let (old, new) where old.isFloat && new.isInteger:
      let (lower, upper) = integers.bounds(new)
      // The largest integer is no floating-point number: the comparison is with the one behind it.
      let above =
        upper == .max ? "\(column) >= 9223372036854775807.0" : "\(column) > \(upper)"
      self.init(
        "CAST(\(column) AS INTEGER)",
        losing:
          "\(column) <> CAST(\(column) AS INTEGER) OR \(above) OR \(column) < \(lower.literal)",
        losesNaN: true)
    case (.float, .double): self.init(column)
    case (.double, .float): self.init(column, losing: "NOT \(MigrationFunction.isFloat)(\(column))")
    case let (old, .decimal) where old.isInteger:
      self.init(column, losing: integers.isStoredUnsigned ? "\(column) < 0" : nil)
    case (.uri, .string): self.init(column)
    default: return nil
    }
  }
}

/// The Swift types of an integer before and after a change. Types of different sizes share a type of column,
/// and unsigned numbers of 64 bits stand as their bit patterns.
struct IntegerTypes: Sendable {
  /// `nil` where the file does not tell.
  var stored: ScalarType?
  /// `nil` for a model without a class.
  var current: ScalarType?

  var isStoredUnsigned: Bool { stored?.isUnsigned64 ?? false }

  /// The condition on the column that the number is another one in the new type.
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

  /// The numbers of the new type that stand as themselves.
  fileprivate func bounds(_ new: AttributeType) -> (lower: Int64, upper: Int64) {
    if current?.isUnsigned64 ?? false { return (0, .max) }
    let range = current?.traits.integers ?? new.range
    return range.map { ($0.lowerBound, $0.upperBound) } ?? (.min, .max)
  }
}

extension Int64 {
  /// The smallest number is no literal of SQL.
  fileprivate var literal: String { _StoredValue.integer(self).literal }
}

extension AttributeType {
  fileprivate var isInteger: Bool { range != nil }

  /// Whether it is a floating-point number, which reads as NaN where nothing is stored.
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
