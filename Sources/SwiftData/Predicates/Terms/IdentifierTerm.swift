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

  func property(_ keyPath: AnyKeyPath) throws -> SQLTerm {
    switch keyPath {
    case \PersistentIdentifier.entityName: return .scalar(entityName)
    case \PersistentIdentifier.storeIdentifier:
      return .scalar(ScalarTerm(value: .text(storeIdentifier), kind: .scalar(.string)))
    default: throw NotInSQL("a property of an identifier")
    }
  }
}
