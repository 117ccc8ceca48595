import Foundation

/// The orders of text that a connection has to know besides its own.
package enum SQLCollation {
  package typealias Comparison = @Sendable (String, String) -> ComparisonResult

  package static let all: [(name: String, compare: Comparison)] = [
    ("swift_localized", { $0.localizedCompare($1) }),
    ("swift_localized_standard", { $0.localizedStandardCompare($1) }),
  ]

  /// The collation that orders as the comparator does; `nil` for the order of code points.
  ///
  /// A comparator does not tell what it is, so it is asked about texts that tell the kinds apart.
  static func name(of comparator: String.StandardComparator) throws -> String? {
    var comparator = comparator
    comparator.order = .forward
    if comparator == .lexical { return nil }
    let ignoresCaseFirst = comparator.compare("B", "a") == .orderedDescending
    guard ignoresCaseFirst else { throw NotInSQL("an unknown order of text") }
    let ordersNumbers = comparator.compare("10", "9") == .orderedDescending
    return ordersNumbers ? "swift_localized_standard" : "swift_localized"
  }
}
