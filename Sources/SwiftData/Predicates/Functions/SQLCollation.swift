import Foundation

/// The text collations that are registered on each connection.
package enum SQLCollation {
  package typealias Comparison = @Sendable (String, String) -> ComparisonResult

  package static let all: [(name: String, compare: Comparison)] = [
    ("swift_localized", { $0.localizedCompare($1) }),
    ("swift_localized_standard", { $0.localizedStandardCompare($1) }),
  ]

  static func isOurs(_ name: String) -> Bool { name.hasPrefix("swift_") }

  /// The collation with the order of a comparator; `nil` for the order of code points.
  ///
  /// A comparator has no property for its kind, so this compares texts that distinguish the kinds.
  static func name(of comparator: String.StandardComparator) throws -> String? {
    var comparator = comparator
    comparator.order = .forward
    if comparator == .lexical { return nil }
    let ignoresCaseFirst = comparator.compare("B", "a") == .orderedDescending
    guard ignoresCaseFirst else { throw NotInSQL("an unknown text order") }
    let ordersNumbers = comparator.compare("10", "9") == .orderedDescending
    return ordersNumbers ? "swift_localized_standard" : "swift_localized"
  }
}
