import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  /// Equality of a composite value and a captured one, column by column.
  mutating func equality(
    _ composite: CompositeTerm, captured value: Any
  ) throws -> SQLExpression {
    dependsOnValues = true
    guard let value = unwrap(value) as? any Encodable, !composite.hasEncodedLeaf else {
      throw NotInSQL("a composite value with a part that is stored whole")
    }
    let leaves = composite.leaves.map { mapping in
      var leaf = mapping.leaf
      leaf.path.removeFirst(min(composite.depth, leaf.path.count))
      leaf.codingPath.removeFirst(min(composite.depth, leaf.codingPath.count))
      return leaf
    }
    let values = try CompositeCoding.flatten(value, leaves: leaves)
    guard values.count == composite.columns.count else {
      throw NotInSQL("a composite value of another shape")
    }
    return .all(
      try zip(composite.columns, values).map { column, value in
        if value.isNull { return column.isNull }
        if case .text = value {
          guard let spellings = spellings(of: [value]) else {
            throw NotInSQL("text in a composite that has many spellings")
          }
          return .all([column.isNotNull, list(column, spellings)])
        }
        return .binary(column, .isSame, bind(derived: value))
      })
  }
}

extension CompositeTerm {
  /// Whether a part is stored as JSON, of which equal values may have several.
  var hasEncodedLeaf: Bool {
    leaves.contains { $0.column.content == .encoded }
  }
}
