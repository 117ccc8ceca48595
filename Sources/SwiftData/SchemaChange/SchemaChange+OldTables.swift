import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The tables as they were before the change, which stay until `dropOldTables` where the options ask for it.
extension SchemaChange {
  /// Where the earlier models have their rows meanwhile.
  func oldMapping(_ schema: Schema) -> SchemaMapping {
    SchemaMapping(
      schema: schema, descriptors: schema.descriptors,
      file: FileEntities(
        stored: stored.entities.map { ($0.name, $0.number, $0.superNumber) }, model: old.model,
        tables: Set(stored.columns.keys), tablePrefix: SchemaChange.oldPrefix))
  }

  /// Makes the indexes of keys anew, which have gone with the names of the tables: relationships of the
  /// earlier models are read through them.
  func indexOldTables(_ mapping: SchemaMapping, _ connection: Connection) throws {
    for index in mapping.layout.indexes where index.name.hasPrefix(SchemaChange.oldPrefix) {
      try connection.execute(CreateIndex(index).rendered(in: .sqlite).sql)
    }
  }

  /// What was added to the keys of an entity's rows.
  func keyOffset(from earlier: String, to later: String) -> Int64 {
    plan.offset(from: old.table(of: earlier), to: new.table(of: later))
  }
}
