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
    var writesHistory = false

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
    engine = Self.engine(
      configuration.driver, schema, writesHistory: configuration.writesHistory)
  }

  static func engine(
    _ driver: RecordingDriver, _ schema: Schema, writesHistory: Bool = false
  ) -> RelationalStore {
    let mapping = SchemaMapping(schema: schema, descriptors: schema.descriptors)
    return RelationalStore(
      name: "recording", identifier: "recording", schema: schema, mapping: mapping, driver: driver,
      history: writesHistory ? HistoryTables(tombstoneCount: 0) : nil)
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
    let receipt = try engine.save(request)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: Dictionary(
        zip(request.inserted.map(\.persistentIdentifier), receipt.inserted),
        uniquingKeysWith: { first, _ in first }))
  }

  /// A context on a recording store. Statements of the history are left out unless they are asked for.
  static func context(
    _ types: [any PersistentModel.Type], _ capabilities: SQLCapabilities,
    writesHistory: Bool = false
  ) throws -> (context: ModelContext, driver: RecordingDriver) {
    let driver = RecordingDriver(capabilities)
    let container = try ModelContainer(
      for: Schema(types),
      configurations: [Configuration(driver: driver, writesHistory: writesHistory)])
    return (ModelContext(container), driver)
  }
}
