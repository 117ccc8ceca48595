/// The database of a store during its migration: one connection, whose transaction encloses
/// everything. `MigrationRun` works with it; the owner of the database begins and commits.
package protocol MigratedDatabase {
  /// Reads the description of the store; `nil` if there is no store.
  func description() throws -> StoredSchema?

  func write<R>(_ body: (any SQLSession) throws -> R) throws -> R

  /// Called before the tables change.
  func willChange(_ session: any SQLSession) throws

  /// Changes the tables.
  func run(
    _ change: SchemaChange, _ session: any SQLSession, progress: (SchemaChangeProgress) -> Void
  ) throws

  /// Writes the description of a version into a store that was recognised by its columns.
  func complete(_ models: DescribedSchema, version: String) throws

  /// Opens the store for code of a stage.
  /// - Parameter seal: Ends the use of the store.
  func stageStore(_ models: DescribedSchema, _ seal: StoreInvalidation) throws -> any DataStore

  /// Opens the tables before a step that kept them, for reading only.
  func earlierStore(
    _ schema: Schema, _ mapping: SchemaMapping, identifier: String, _ seal: StoreInvalidation
  ) throws -> any DataStore

  /// The configurations of containers for code of a stage.
  func configurations(_ schema: Schema) -> Set<ModelConfiguration>
}

extension MigratedDatabase {
  package func configurations(_ schema: Schema) -> Set<ModelConfiguration> { [] }
}
