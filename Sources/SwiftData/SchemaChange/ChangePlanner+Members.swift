import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The members of structs that the changed types lack.
///
/// Each is a `LossCheck`, as a removed property is. If a new member has the same type, it may be the
/// renamed one: that is a `ChangeCheck`, unless the models declare the removal.
extension ChangePlanner {
  mutating func noteRemovedMembers(_ change: AttributeChange) {
    guard let stored = change.stored else { return }
    for member in change.removedMembers {
      guard let hasValue = stored.hasValue(at: member.path) else { continue }
      let rows = "\(change.rows.condition) AND (\(hasValue))"
      let name = "\(stored.property.name).\(member.name)"
      losses.append(
        LossCheck(
          change.rows.stored.name, name, typeText(of: member, change, stored), table: change.table,
          condition: rows))
      if mayCarryOver || isDeclaredRemoved(name, of: change.entity) { continue }
      refuseForgottenMember(member, named: name, change, stored, rows: rows)
    }
  }

  private func typeText(
    of member: CompositePart, _ change: AttributeChange, _ stored: AttributeChange.Earlier
  ) -> String {
    let owner = counterparts.property(change.current.name, of: change.rows.current.name)?.entity
    return storedTypes.text(
      of: member.description,
      at: [owner?.name ?? change.rows.stored.name, stored.property.name] + member.path)
  }

  private mutating func refuseForgottenMember(
    _ member: CompositePart, named name: String, _ change: AttributeChange,
    _ stored: AttributeChange.Earlier, rows: String
  ) {
    guard let earlier = stored.property.attribute else { return }
    var names: [String] = []
    var conditions: [String] = []
    for new in change.current.parts(missingIn: earlier) where new.kind == .member {
      guard let condition = carryingOver(member, to: new, change, stored) else { continue }
      names.append(new.name)
      conditions.append(condition)
    }
    if names.isEmpty { return }
    checks.append(
      ChangeCheck(
        change.entity, change.current.name,
        from: "with \(member.name) (\(typeText(of: member, change, stored)))",
        to: "without \(member.name)",
        reason:
          "have a value that \(names.count == 1 ? "the new member" : "a new member") could hold "
          + "(\(names.joined(separator: ", ")))",
        advice: "If a new member is the renamed \(member.name), set it in a stage .transform. To "
          + "delete the values, declare static let removedProperties: Set<String> = [\"\(name)\"] in "
          + "the class \(declaringClass(of: change.entity)).",
        .transformation,
        keys: "SELECT \(RowTerms.key) FROM \(change.table.quotedName) WHERE \(rows)",
        probe: """
          SELECT 1 FROM \(change.table.quotedName) WHERE \(rows) AND \
          (\(conditions.joined(separator: " OR "))) LIMIT 1
          """))
  }

  /// The condition for rows whose value would differ if a new member had the value of a removed one;
  /// `nil` if it has another type.
  private func carryingOver(
    _ removed: CompositePart, to new: CompositePart, _ change: AttributeChange,
    _ stored: AttributeChange.Earlier
  ) -> String? {
    let (earlier, current) = (removed.description.leaves, new.description.leaves)
    guard earlier.map(\.path) == current.map(\.path) else { return nil }
    var different: [String] = []
    for (old, now) in zip(earlier, current) {
      guard old.attribute.type == now.attribute.type,
        old.attribute.type != .transformable
          || old.attribute.valueClassName == now.attribute.valueClassName,
        let column = stored.columns[removed.path + old.path]
      else { return nil }
      let source = change.sources[new.path + now.path] ?? .null
      different.append(sql.areDifferent(column.name.quotedName, "(\(source.sql))"))
    }
    return different.joined(separator: " OR ")
  }
}
