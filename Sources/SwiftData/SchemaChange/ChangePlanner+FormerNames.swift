import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// Properties of one class, or classes, that declare the same former name. Only one of them can continue what
/// had the name, and nothing says which one. So the change is refused if the store has values under that
/// name. A name that is no longer in the store does not matter, nor a former name beside a property that the
/// store has. Code that sees both versions may set the other one itself.
extension ChangePlanner {
  /// - Returns: The check that refuses the property, if any.
  @discardableResult
  mutating func refuseRepeatedName(
    of property: PropertyDescription, declaredBy owner: EntityDescription, _ rows: TableSource.Rows,
    _ table: String
  ) -> ChangeCheck? {
    let entity = rows.current.name
    guard !mayCarryOver, let former = property.renamingIdentifier,
      let rival = counterparts.rival(of: property, declaredBy: owner, in: entity),
      let declared = counterparts.property(rival.name, of: entity)
    else { return nil }
    let check = ChangeCheck(
      entity, property.name, from: "one property",
      to: "declared with the original name \(former), as \(owner.name).\(rival.name) is",
      reason: "would keep the value in \(rival.name) only",
      advice: "Remove originalName from one of the two. To give both the value, set the new one "
        + "in a stage .transform.", .declaration, table: table,
      condition: "\(rows.condition) AND (\(hasValue(of: declared)))")
    checks.append(check)
    return check
  }

  /// A condition that is true for rows with a value of an earlier property.
  private func hasValue(of declared: ModelCounterparts.DeclaredProperty) -> String {
    if case .relationship(let relationship) = declared.property, relationship.isToMany {
      let links = EarlierLinks(relationship, of: declared.entity.name, in: old.model)
      return links.pairs(in: old).map {
        "\(RowTerms.key) IN (SELECT \($0.near) FROM \($0.table.quotedName))"
      } ?? ChangedValues.all
    }
    return "NOT (\(earlier(declared).isNil))"
  }

  mutating func refuseRepeatedNames() {
    if mayCarryOver { return }
    for entity in new.model.entities {
      guard let former = entity.renamingIdentifier, let rival = counterparts.rival(of: entity),
        let number = old.numbers[former]
      else { continue }
      checks.append(
        ChangeCheck(
          entity.name, nil, from: "one model",
          to: "declared with the original name \(former), as \(rival.name) is",
          reason: "would be of \(rival.name) only",
          advice: "Remove originalName from one of the two. To divide the rows among both, insert "
            + "models of the other class in a stage .transform.", .declaration,
          keys: "SELECT \(RowTerms.key) FROM \(old.table(of: former).quotedName) "
            + "WHERE \(RowTerms.entity) = \(number)", storedEntity: former))
    }
  }
}
