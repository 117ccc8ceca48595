import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The old tables, which stay until `dropOldTables` if the options require it.
extension SchemaChange {
  /// The mapping of the old models to the old tables.
  func oldMapping(_ schema: Schema) -> SchemaMapping {
    SchemaMapping(
      schema: schema, descriptors: schema.descriptors,
      file: FileEntities(
        stored: stored.entities.map { ($0.name, $0.number, $0.superNumber) }, model: old.model,
        tables: Set(stored.columns.keys), tablePrefix: SchemaChange.oldPrefix,
        longestName: stored.dialect.longestName))
  }

  /// Creates indexes for the keys again, because renaming the tables has removed them.
  /// Relationships of the old models are read through these indexes.
  func indexOldTables(_ mapping: SchemaMapping, _ session: any SQLSession) throws {
    for index in mapping.layout.indexes where index.name.hasPrefix(SchemaChange.oldPrefix) {
      try session.execute(CreateIndex(index).rendered(in: stored.dialect).sql)
    }
  }

  /// The properties of old models with identifiers as values, if the change gives other identifiers to rows.
  func propertiesWithEarlierIdentifiers(
    _ mapping: SchemaMapping, _ session: any SQLSession
  ) throws -> [String] {
    if entitiesWithNewKeys.isEmpty, renamedEntities.isEmpty { return [] }
    return try IdentifierAdjustment(self, external: nil).earlierProperties(mapping, session)
  }

  /// The offset that was added to the keys of an entity's rows; `nil` if the rows do not belong to the
  /// later entity.
  func keyOffset(from earlier: String, to later: String) -> Int64? {
    guard let successor = counterparts.successor(of: earlier),
      new.model.subtree(of: later).contains(where: { $0.name == successor.name })
    else { return nil }
    return plan.offset(from: old.table(of: earlier), to: new.table(of: later))
  }

  /// The entities of the file whose rows get other keys, because they move to a table with other rows.
  var entitiesWithNewKeys: [String] {
    old.model.entities.map(\.name).filter { name in
      guard let successor = counterparts.successor(of: name) else { return false }
      let table = old.table(of: name)
      return lastKeys[table, default: 0] > 0
        && plan.offset(from: table, to: new.table(of: successor.name)) != 0
    }
  }

  /// The entities of the file with rows that have another name after the change.
  var renamedEntities: [(earlier: String, current: String)] {
    old.model.entities.compactMap { entity in
      guard let successor = counterparts.successor(of: entity.name),
        successor.name != entity.name, lastKeys[old.table(of: entity.name), default: 0] > 0
      else { return nil }
      return (entity.name, successor.name)
    }
  }
}
