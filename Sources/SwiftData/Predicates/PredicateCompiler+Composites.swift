import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateCompiler {
  /// Equality of a composite and a captured value, column by column.
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
    // An optional composite with only empty columns is read as nil, which equals no value.
    if composite.isOptional, values.allSatisfy(\.isNull) { return .false }
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
  /// Whether a part is stored as JSON, or as a scalar that its type encodes. Equal values may have
  /// different stored forms then.
  var hasEncodedLeaf: Bool {
    leaves.contains { leaf in
      if case .scalar = leaf.leaf.form { return !(leaf.leaf.valueType is any ScalarCoding.Type) }
      return leaf.column.content == .encoded
    }
  }

  /// Whether all columns of a value may be empty.
  var mayBeEmpty: Bool {
    leaves.contains { !$0.leaf.emptyCases.isEmpty }
      || leaves.allSatisfy { $0.leaf.isOptional && $0.column.content != .enumCase }
  }
}
