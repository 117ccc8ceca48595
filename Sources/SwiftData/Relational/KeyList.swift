import OpenSwiftDataSQLSyntax

/// Distinct keys of rows, in the forms in which statements take them.
///
/// A statement for many rows with adjacent keys takes their range: it visits the rows in order, which
/// is faster than to look up each key of a list. It concerns the same rows in the same order.
package final class KeyList {
  let keys: [Int64]
  /// The keys as one parameter, made at the first use.
  private(set) lazy var text = dialect.list(keys)
  /// The range of many keys, if it contains no other key.
  private(set) lazy var range = KeyList.range(of: keys)
  private let dialect: SQLDialect

  /// Fewer keys are looked up: to find out whether a range may be used takes some statements.
  @TaskLocal package static var rangeMinimum = 10_000

  init(_ keys: [Int64], in dialect: SQLDialect) {
    self.keys = keys
    self.dialect = dialect
  }

  private static func range(of keys: [Int64]) -> KeyPair? {
    guard keys.count >= rangeMinimum, let first = keys.min(), let last = keys.max() else {
      return nil
    }
    let (distance, overflows) = last.subtractingReportingOverflow(first)
    return !overflows && distance == keys.count - 1 ? KeyPair(first: first, second: last) : nil
  }

  /// The condition that a row's key is in the range whose ends are parameters 0 and 1.
  static let isInRange = SQLExpression.conjunction([
    .binary(RowColumns.key(), .greaterOrEqual, .parameter(0)),
    .binary(RowColumns.key(), .lessOrEqual, .parameter(1)),
  ])
}
