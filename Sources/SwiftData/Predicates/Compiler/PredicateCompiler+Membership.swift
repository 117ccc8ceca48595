import Foundation
import OpenSwiftDataSQLSyntax

/// Compiles the condition that a stored value is one of several captured values.
extension PredicateCompiler {
  /// Whether a value is in a captured collection.
  mutating func membership(
    of scalar: ScalarTerm, inCaptured value: Any
  ) throws -> SQLExpression {
    try scalar.requireEqualityOfStoredForms()
    var scalar = scalar
    var values: [_StoredValue] = []
    // For the keys of rows that may be of several entities.
    var keys: [Int?: [_StoredValue]] = [:]
    var hasNil = false
    for element in try requiredElements(of: value) {
      guard let element = StoredForms.unwrap(element) else {
        hasNil = true
        continue
      }
      let (stored, kind) = try forms.form(of: element)
      if scalar.kind.isComparable(to: kind) {
        values.append(stored)
        if scalar.entity != nil, case .key(_, let number) = kind {
          keys[number, default: []].append(stored)
        }
      } else if scalar.kind.neverEquals(kind) {
        continue
      } else {
        throw NotInSQL("values of another kind")
      }
    }
    if scalar.isText {
      if let spellings = TextRules.spellings(of: values) {
        if let found = TextRules.search(scalar, spellings, &bindings) {
          let isMember = SQLExpression.all([scalar.isPresent, found])
          return hasNil ? .any([scalar.isPresent.negated, isMember]) : isMember
        }
        values = spellings
      } else {
        values = values.map(\.canonical)
        scalar = scalar.mapped { .function("swift_canonical", [$0]) }
      }
    }
    let type = scalar.kind.sqlType
    try bindings.checkLength(of: values, type)
    var isMember: SQLExpression
    if keys.isEmpty {
      isMember = values.isEmpty ? .false : bindings.inList(scalar.value, values, of: type)
    } else {
      isMember = .any(
        keys.sorted { ($0.key ?? 0) < ($1.key ?? 0) }.map { number, values in
          let isListed = bindings.inList(scalar.value, values, of: type)
          let kind = ScalarTerm.Kind.key(root: "", entity: number)
          return .all([isListed, scalar.isOfEntity(of: kind)].compactMap(\.self))
        })
    }
    if scalar.mayBeNaN { isMember = .orFalse(isMember) }
    isMember = .all([scalar.isPresent, isMember])
    return hasNil ? .any([scalar.isPresent.negated, isMember]) : isMember
  }

  /// Whether an identifier is in a captured collection.
  mutating func membership(
    of identifier: IdentifierTerm, inCaptured value: Any
  ) throws -> SQLExpression {
    try membership(of: identifier, in: requiredElements(of: value))
  }

  /// Whether the identifier is one of several captured ones. The text of the condition depends on
  /// the entities of the keys.
  mutating func membership(
    of identifier: IdentifierTerm, in captured: [Any]
  ) throws -> SQLExpression {
    bindings.dependOnValues()
    var keys: [String: [_StoredValue]] = [:]
    for value in captured {
      guard let value = StoredForms.unwrap(value) else { continue }
      guard let resolved = (value as? PersistentIdentifier)?.resolved else {
        throw NotInSQL("a comparison of an identifier with another kind of value")
      }
      guard resolved.storeIdentifier == identifier.storeIdentifier, let key = resolved.rowKey
      else { continue }
      keys[resolved.entityName, default: []].append(.integer(key))
    }
    return .any(
      try keys.sorted { $0.key < $1.key }.map { entityName, keys in
        try bindings.checkLength(of: keys, .integer)
        return .all([
          try TextRules.equality(
            identifier.entityName, text: entityName, .scalar(.string), &bindings),
          bindings.inList(identifier.key, keys, of: .integer),
        ])
      })
  }

  private mutating func requiredElements(of value: Any) throws -> [Any] {
    guard let elements = elements(of: value) else { throw NotInSQL("not a collection of values") }
    return elements
  }
}

extension _StoredValue {
  fileprivate var canonical: _StoredValue {
    guard case .text(let text) = self else { return self }
    return .text(text.canonicallyComposed)
  }
}
