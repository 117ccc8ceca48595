import SwiftData

/// A row with the values that a document stores.
struct DocumentRow: Hashable, Sendable {
  let identifier: PersistentIdentifier
  /// The key in the document.
  let key: String
  /// The stored properties. Those of the model are complete.
  var values: [String: DocumentValue]
  /// Properties that the models do not have, as the document has them.
  var unknown: [String: DocumentValue] = [:]
  /// Members of values of the model's properties that the models do not have.
  var unknownMembers: [String: UnknownMembers] = [:]

  var entity: String { identifier.entityName }

  /// The stored properties with all members that the document has.
  var documentValues: [String: DocumentValue] {
    var values = values
    for (name, unknown) in unknownMembers { values[name] = values[name].map(unknown.added) }
    return values
  }

  /// How the row is named in messages.
  var name: String { "\(entity)/\(key)" }

  /// The rows that a stored relationship refers to.
  func links(_ property: String) -> [PersistentIdentifier] {
    values[property]?.identifiers ?? []
  }

  /// The value of a property, or of a part of a composite; null if the composite is.
  func value(at path: [String]) -> DocumentValue {
    path.dropFirst().reduce(path.first.flatMap { values[$0] } ?? .null) { value, key in
      guard case .object(let members) = value else { return .null }
      return members[key] ?? .null
    }
  }

  mutating func setLinks(_ relationship: RelationshipShape, _ targets: [PersistentIdentifier]) {
    values[relationship.name] =
      relationship.isToMany
      ? .members(targets) : targets.first.map { .identifier($0) } ?? .null
  }
}

/// A link to a row: the row that has it, and the property.
struct Referrer: Hashable, Sendable {
  let row: PersistentIdentifier
  let property: String
}

/// The values of a unique constraint. Texts are compared byte by byte, as in the default store.
struct UniqueKey: Hashable, Sendable {
  let constraint: UniqueConstraint
  let values: [DocumentValue]

  /// - Returns: `nil` if a value is null: nulls are equal to nothing.
  init?(_ constraint: UniqueConstraint, of row: DocumentRow) {
    self.constraint = constraint
    values = constraint.paths.map { row.value(at: $0) }
    if values.contains(where: \.isNull) { return nil }
  }
}
