import OpenSwiftDataSQLiteEngine

/// A store file during its migration.
struct MigratedFile: MigratedDatabase {
  let configuration: ModelConfiguration
  let pool: ConnectionPool
  let external: ExternalFiles
  /// Reads the description of the file.
  let reader: StoredSchemaReader

  func description() throws -> StoredSchema? { try pool.read(reader.read) }

  func write<R>(_ body: (any SQLSession) throws -> R) throws -> R {
    try pool.write { try body($0) }
  }

  func willChange(_ session: any SQLSession) throws {
    guard let connection = session as? Connection else { return }
    try ExternalFiles.stopFollowing(connection)
    try external.register(connection)
  }

  func run(
    _ change: SchemaChange, _ session: any SQLSession, progress: (SchemaChangeProgress) -> Void
  ) throws {
    try change.run(session, external: external, progress: progress)
  }

  func complete(_ models: DescribedSchema, version: String) throws {
    _ = try StoreFileOpening(
      pool: pool, models: models, configuration: configuration, version: version,
      external: external, reader: reader
    ).run()
  }

  func stageStore(_ models: DescribedSchema, _ seal: StoreInvalidation) throws -> any DataStore {
    try DefaultStore(
      configured(models.schema), models: models, pool: pool, external: external, reader: reader,
      seal: seal)
  }

  func earlierStore(
    _ schema: Schema, _ mapping: SchemaMapping, identifier: String, _ seal: StoreInvalidation
  ) throws -> any DataStore {
    let file = StoreFile(identifier: identifier, trees: [], history: nil, external: external)
    return DefaultStore(
      configured(schema), schema: schema, pool: pool, file: file, mapping: mapping, seal: seal)
  }

  func configurations(_ schema: Schema) -> Set<ModelConfiguration> { [configured(schema)] }

  private func configured(_ schema: Schema) -> ModelConfiguration {
    var configuration = configuration
    configuration.schema = schema
    return configuration
  }
}
