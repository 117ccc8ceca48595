import SQLSyntax

/// The statements of a to-many relationship that no to-one column of a property keeps.
package struct ToManyStatements: Sendable {
  package let slot: Int
  /// Owner first, member second.
  package let link: String
  package let unlink: String
  /// Removes the owner from all pairs.
  package let unlinkAll: String

  /// - Returns: nil when the destination's own to-one keeps the relationship.
  package init?(_ property: PropertyMapping) {
    guard case .toMany(let toMany) = property.kind else { return nil }
    slot = property.slot
    func column(_ name: String, _ parameter: Int) -> SQLExpression {
      .binary(.column(table: nil, name: name), .equal, .parameter(parameter))
    }
    switch toMany.storage {
    case .joinTable(let name, let owner, let member):
      link = Insert(into: name, columns: [owner, member], onConflict: .ignore).rendered().sql
      unlink =
        Delete(from: name, where: .conjunction([column(owner, 0), column(member, 1)]))
        .rendered().sql
      unlinkAll = Delete(from: name, where: column(owner, 0)).rendered().sql
    case .foreignKey(let table, let owner, _):
      guard toMany.inverse == nil else { return nil }
      link =
        Update(table, set: [Assignment(owner, .parameter(0))], where: column("Z_PK", 1))
        .rendered().sql
      unlink =
        Update(
          table, set: [Assignment(owner, .null)],
          where: .conjunction([column(owner, 0), column("Z_PK", 1)])
        ).rendered().sql
      unlinkAll =
        Update(table, set: [Assignment(owner, .null)], where: column(owner, 0)).rendered().sql
    }
  }
}
