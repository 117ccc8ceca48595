import Foundation
import OpenSwiftDataSQLSyntax

/// A value in several columns of one row.
struct CompositeTerm {
  var alias: String
  var leaves: [LeafMapping]
  /// The number of path components that lead from the property to this value.
  var depth: Int
  /// When the value is present; every column is null if it is absent. `whenNotNull` is that of an
  /// optional property, which is read as `nil` if every column is null. The columns of a required one
  /// may all be null too.
  var presence: Presence
  /// The Swift type of the property.
  var valueType: (any Any.Type)?

  var columns: [SQLExpression] {
    leaves.map { .column(table: alias, name: $0.column.name) }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression {
    switch presence {
    case .always: .true
    case .whenNotNull: .any(columns.map(\.isNotNull))
    case .when(let condition): condition
    }
  }

  /// A condition that is 0 or 1.
  var isAbsent: SQLExpression {
    presence == .whenNotNull ? .all(columns.map(\.isNull)) : isPresent.negated
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
    leaves.contains { $0.leaf.payloadCases.contains(where: \.mayBeEmpty) }
      || leaves.allSatisfy { mapping in
        // One of the cases of a required enum is set.
        let isInRequiredEnum =
          mapping.column.content == .enumCase && (mapping.leaf.optionalDepth ?? 0) <= depth
        return mapping.leaf.isOptional && !isInRequiredEnum
      }
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
    let isOptional = unwrappedType(of: type(of: keyPath).valueType) != nil
    return try field(names, isOptional: names.count > 1 && isOptional ? nil : isOptional)
  }

  /// The value at the end of a path of stored properties.
  /// - Parameters:
  ///   - names: The properties.
  ///   - isOptional: Whether the last property is optional; `nil` if that is not known, because
  ///     optional chaining makes the value of a path optional too.
  func field(_ names: [String], isOptional: Bool?) throws -> SQLTerm {
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
        self.presence != .always || first.column.isOptional ? .whenNotNull : .always
      if first.column.content == .encoded, var list = ListTerm(value, of: first.leaf.valueType) {
        list.presence = presence
        return .list(list)
      }
      var scalar = ScalarTerm(
        value, first.column, valueType: first.leaf.valueType, presence: presence)
      if first.mayBeNaN, scalar.scalarType != nil {
        scalar.mayBeNaN = true
        scalar.presence = presenceOfPart
      }
      return .scalar(scalar)
    }
    var field = CompositeTerm(
      alias: alias, leaves: fieldLeaves, depth: fieldDepth, presence: .whenNotNull)
    // An optional part has no column that is set whenever the value around it is present.
    if isOptional == false || !fieldLeaves.allSatisfy(\.mayBeNull) {
      field.presence = presenceOfPart
    } else if isOptional == nil, field.mayBeEmpty {
      throw NotInSQL("a part of a composite value that may be absent or empty")
    }
    return .composite(field)
  }

  /// The presence of a required part. Its own columns may all be null.
  private var presenceOfPart: Presence {
    presence == .always ? .always : .when(isPresent)
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
