import Foundation
import OpenSwiftDataSQLSyntax

/// A value in several columns of one row.
struct CompositeTerm {
  var alias: String
  var leaves: [LeafMapping]
  /// The number of path components that lead from the property to this value.
  var depth: Int
  /// Whether the value may be absent; then every column is null.
  var isOptional: Bool
  /// The columns of an optional value that this one is a required part of: it is present if one of them is not
  /// null. Its own are null too if they are NaN.
  var enclosingColumns: [SQLExpression] = []
  /// The Swift type of the property.
  var valueType: (any Any.Type)?

  var columns: [SQLExpression] {
    leaves.map { .column(table: alias, name: $0.column.name) }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression {
    .any((enclosingColumns.isEmpty ? columns : enclosingColumns).map(\.isNotNull))
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

extension LeafMapping {
  /// Whether the column may be null although the composite is present and no part is NaN.
  fileprivate var mayBeNull: Bool { leaf.isOptional || column.content == .enumCase }

  /// Whether the part is always present, but has null in its column if it is NaN.
  var mayBeNaN: Bool {
    if leaf.isOptional { return false }
    switch column.content {
    case .scalar(let type), .rawValue(let type): return type == .double || type == .float
    default: return false
    }
  }
}

extension CompositeTerm {
  /// A stored property of a composite value.
  func field(_ keyPath: AnyKeyPath) throws -> SQLTerm {
    let names = KeyPathText(keyPath).components
    guard !names.isEmpty, !names.contains(where: { $0.hasPrefix("<") }) else {
      throw NotInSQL("a computed property of a composite value")
    }
    return try field(names)
  }

  /// The value at the end of a path of stored properties.
  func field(_ names: [String]) throws -> SQLTerm {
    let fieldDepth = depth + names.count
    let fieldLeaves = leaves.filter { $0.leaf.path.dropFirst(depth).starts(with: names) }
    // A value that encodes itself as a single value has one column, and its properties are not
    // stored.
    guard let first = fieldLeaves.first, first.leaf.codingPath.count == first.leaf.path.count else {
      throw NotInSQL("a property without a column")
    }
    if fieldLeaves.count == 1, first.leaf.path.count == fieldDepth {
      let value = SQLExpression.column(table: alias, name: first.column.name)
      let presence: Presence =
        isOptional || first.column.isOptional ? .whenNotNull : .always
      if first.column.content == .encoded, var list = ListTerm(value, of: first.leaf.valueType) {
        list.presence = presence
        return .list(list)
      }
      var scalar = ScalarTerm(
        value, first.column, valueType: first.leaf.valueType, presence: presence)
      if first.mayBeNaN, scalar.scalarType != nil {
        scalar.mayBeNaN = true
        scalar.presence = isOptional ? .when(isPresent) : .always
      }
      return .scalar(scalar)
    }
    let isOptionalItself = fieldLeaves.allSatisfy(\.mayBeNull)
    var field = CompositeTerm(
      alias: alias, leaves: fieldLeaves, depth: fieldDepth,
      isOptional: isOptional || isOptionalItself)
    if isOptional, !isOptionalItself {
      field.enclosingColumns = enclosingColumns.isEmpty ? columns : enclosingColumns
    }
    return .composite(field)
  }

  /// The values of the columns for a captured value.
  func columnValues(of value: any Encodable) throws -> [_StoredValue] {
    let leaves = self.leaves.map { mapping in
      var leaf = mapping.leaf
      leaf.path.removeFirst(min(depth, leaf.path.count))
      leaf.codingPath.removeFirst(min(depth, leaf.codingPath.count))
      return leaf
    }
    let values = try CompositeCoding.flatten(value, leaves: leaves)
    guard values.count == columns.count else {
      throw NotInSQL("a composite value with other members")
    }
    return values
  }
}
