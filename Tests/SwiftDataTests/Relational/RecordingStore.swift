import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData

/// A store on the relational engine whose database is a `RecordingDriver`, so that a context's saves are
/// seen as statements.
final class RecordingStore: PortProviding {
  struct Configuration: DataStoreConfiguration {
    typealias Store = RecordingStore
    let name = "recording"
    var schema: Schema?
    let driver: RecordingDriver

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.driver === rhs.driver }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(driver)) }
  }
  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier = "recording"
  let engine: RelationalStore
  var port: any StorePort { engine }

  init(
    _ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema([])
    engine = Self.engine(configuration.driver, schema)
  }

  static func engine(_ driver: RecordingDriver, _ schema: Schema) -> RelationalStore {
    RelationalStore(
      name: "recording", identifier: "recording", schema: schema,
      mapping: SchemaMapping(schema: schema, descriptors: schema.descriptors), driver: driver)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let result = try engine.rows(of: request)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: result.rows.snapshots)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let prepared = try engine.prepare(request)
    try prepared.commit()
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        zip(request.inserted.map(\.persistentIdentifier), prepared.receipt.inserted),
        uniquingKeysWith: { first, _ in first }))
  }

  /// A context on a recording store.
  static func context(
    _ types: [any PersistentModel.Type], _ capabilities: SQLCapabilities
  ) throws -> (context: ModelContext, driver: RecordingDriver) {
    let driver = RecordingDriver(capabilities)
    let container = try ModelContainer(
      for: Schema(types), configurations: [Configuration(driver: driver)])
    return (ModelContext(container), driver)
  }
}
