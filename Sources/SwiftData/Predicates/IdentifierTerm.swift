import Foundation
import OpenSwiftDataSQLSyntax

/// The identifier of a row of any entity in the store, from two columns.
struct IdentifierTerm {
  /// The number of the entity.
  let entity: SQLExpression
  let key: SQLExpression
  /// The name of the entity with the number.
  let entityName: ScalarTerm
  let storeIdentifier: String

  func nullSafeEquality(_ other: IdentifierTerm) -> SQLExpression {
    if storeIdentifier != other.storeIdentifier { return .false }
    return .all([
      .binary(entity, .equal, other.entity), .binary(key, .equal, other.key),
    ])
  }
}

extension PredicateCompiler {
  func property(_ keyPath: AnyKeyPath, of identifier: IdentifierTerm) throws -> SQLTerm {
    switch keyPath {
    case \PersistentIdentifier.entityName: return .scalar(identifier.entityName)
    case \PersistentIdentifier.storeIdentifier:
      return .scalar(
        ScalarTerm(value: .text(identifier.storeIdentifier), kind: .scalar(.string)))
    default: throw NotInSQL("a property of an identifier")
    }
  }

  /// Whether the identifier equals a captured one.
  mutating func equality(
    _ identifier: IdentifierTerm, captured value: Any
  ) throws -> SQLExpression {
    guard let value = unwrap(value) else { return .false }
    return try isOne(of: [value], identifier)
  }

  /// Whether the identifier is one of several captured ones.
  mutating func membership(
    of identifier: IdentifierTerm, in value: Any
  ) throws -> SQLExpression {
    guard let elements = elements(of: value) else { throw NotInSQL("no collection of values") }
    return try isOne(of: elements, identifier)
  }

  /// The text of the condition depends on the entities of the keys.
  private mutating func isOne(
    of captured: [Any], _ identifier: IdentifierTerm
  ) throws -> SQLExpression {
    dependsOnValues = true
    var keys: [String: [_StoredValue]] = [:]
    for value in captured {
      guard let value = unwrap(value) else { continue }
      guard let resolved = (value as? PersistentIdentifier)?.resolved else {
        throw NotInSQL("an identifier and a value of another kind")
      }
      guard resolved.storeIdentifier == identifier.storeIdentifier, let key = resolved.rowKey
      else { continue }
      keys[resolved.entityName, default: []].append(.integer(key))
    }
    return .any(
      try keys.sorted { $0.key < $1.key }.map { entityName, keys in
        guard
          keys.count <= MembershipList.longestList
            || MembershipList(keys, in: database.dialect) != nil
        else { throw NotInSQL("a list of more values than a statement may have parameters") }
        return .all([
          try equality(identifier.entityName, text: entityName, .scalar(.string)),
          list(identifier.key, keys),
        ])
      })
  }
}
