import OpenSwiftDataStoreFormat

/// A relationship of an entity that the file has but the schema lacks: of another program, or of an
/// app whose schema has more models.
struct FileReference: Sendable {
  /// Where the keys of the destination rows are stored.
  enum Place: Sendable {
    /// A column of the rows, and the column of the entity number.
    case column(String, entityNumber: String?)
    /// A column of a join table.
    case pairs(String)
  }

  let entity: String
  let property: String
  let isRequired: Bool
  let table: String
  let place: Place
}

extension SchemaMapping {
  /// The relationships of entities that only the file has, and whose destination may be this
  /// entity.
  func fileReferences(to entity: EntityMapping) -> [FileReference] {
    let names = Set(layout.model.lineage(of: entity.name).map(\.name))
    return layout.model.entities.filter { self.entity(named: $0.name) == nil }.flatMap { owner in
      owner.properties.compactMap(\.relationship).filter {
        !$0.isTransient && names.contains($0.destination)
      }.compactMap { reference($0, of: owner.name) }
    }
  }

  private func reference(
    _ relationship: RelationshipDescription, of owner: String
  ) -> FileReference? {
    if relationship.isToMany {
      // A to-many relationship without a join table has its column in the rows of its members.
      return layout.joinSide(relationship.name, of: owner).map { side in
        FileReference(
          entity: owner, property: relationship.name, isRequired: false, table: side.table.name,
          place: .pairs(side.memberColumn))
      }
    }
    return layout.column(relationship.name, of: owner).map { key in
      FileReference(
        entity: owner, property: relationship.name, isRequired: !relationship.isOptional,
        table: layout.table(of: owner),
        place: .column(
          key.name,
          entityNumber: layout.column(relationship.name, of: owner, .entityNumber)?.name))
    }
  }
}
