import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// How stored values of one type become values of another.
struct ValueConversion {
  /// The value of the new type.
  let expression: String
  /// Holds for values that would be lost; `nil` where none is.
  let loss: String?

  private init(_ expression: String, losing loss: String? = nil) {
    self.expression = expression
    self.loss = loss
  }

  /// - Parameter column: The column of the value, quoted.
  /// - Returns: `nil` where values of one type are none of the other.
  init?(_ column: String, from stored: AttributeDescription, to current: AttributeDescription) {
    switch (stored.type, current.type) {
    case (.transformable, .transformable):
      guard !stored.hasOtherElements(than: current) else { return nil }
      self.init(column)
    case let (old, new) where old == new: self.init(column)
    case let (old, new) where old.isInteger && new.isInteger:
      guard let range = new.range, (old.range?.upperBound ?? .max) > range.upperBound else {
        self.init(column)
        return
      }
      self.init(
        column,
        losing: "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): self.init(column)
    case let (old, .boolean) where old.isInteger:
      self.init(column, losing: "\(column) NOT IN (0, 1)")
    case let (old, .double) where old.isInteger, let (old, .float) where old.isInteger:
      // Beyond these numbers not every integer is a floating-point number.
      let limit = current.type == .double ? "9007199254740992" : "16777216"
      self.init("CAST(\(column) AS REAL)", losing: "abs(\(column)) > \(limit)")
    case let (old, new) where old.isFloat && new.isInteger:
      let range = new.range.map { ($0.lowerBound, $0.upperBound) } ?? (.min, .max)
      // The largest integer is no floating-point number: the comparison is with the one behind it.
      let upper =
        new == .integer64 ? "\(column) >= 9223372036854775807.0" : "\(column) > \(range.1)"
      self.init(
        "CAST(\(column) AS INTEGER)",
        losing: "\(column) <> CAST(\(column) AS INTEGER) OR \(upper) OR \(column) < \(range.0)")
    case (.float, .double): self.init(column)
    case (.double, .float): self.init(column, losing: "NOT \(MigrationFunction.isFloat)(\(column))")
    case let (old, .decimal) where old.isInteger: self.init(column)
    case (.uri, .string): self.init(column)
    default: return nil
    }
  }
}

extension AttributeType {
  fileprivate var isInteger: Bool { range != nil }

  fileprivate var isFloat: Bool { self == .double || self == .float }

  fileprivate var range: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: .min ... .max
    default: nil
    }
  }
}
