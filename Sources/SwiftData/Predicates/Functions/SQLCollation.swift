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
  static func name(of comparator: String.StandardComparator) throws -> String? {
    var comparator = comparator
    comparator.order = .forward
    switch comparator {
    case .lexical: return nil
    case .localized: return "swift_localized"
    case .localizedStandard: return "swift_localized_standard"
    default: throw NotInSQL("an unknown text order")
    }
  }
}
