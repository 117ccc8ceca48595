import Synchronization

/// What a container provides to its contexts. Immutable once the stores are open, except for
/// settings of the user.
final class ContainerCoordinator: StoreCoordinator {
  let schema: Schema
  /// The schema of the container; in a stage of a migration only the models of the migrated store.
  let ownSchema: Schema
  let stores: [any DataStore]
  let ports: [any StorePort]
  let links: RelationshipLinks
  let changeLog = ChangeLog()
  let autosaves: AutosaveRegistry
  let unsavedChanges = UnsavedChangesLog()
  let remoteCommits = RemoteCommitHub()
  let commits = Signals()
  let closing = ContainerClosing()
  let backups = ContainerBackups()
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  let configurations: Mutex<Set<ModelConfiguration>>
  private let portsByEntity: [String: any StorePort]
  private let types: [String: any PersistentModel.Type]
  private let entitiesInMemory: Set<String>
  /// While it exists, snapshots of the stores find their classes.
  private let openSchema: OpenSchemas.Registration

  init(
    schema: Schema, stores: [(store: any DataStore, entities: Set<String>)],
    configurations: Set<ModelConfiguration>, migrationPlan: (any SchemaMigrationPlan.Type)?,
    ownSchema: Schema? = nil
  ) {
    self.schema = schema
    self.ownSchema = ownSchema ?? schema
    self.configurations = Mutex(configurations)
    self.migrationPlan = migrationPlan
    self.stores = stores.map(\.store)
    let types = schema.entitiesByName.compactMapValues(\.modelType)
    self.types = types
    // The only check of a store's abilities.
    ports = stores.map { store, _ in
      (store as? any PortProviding)?.port ?? ContainerCoordinator.port(to: store, schema, types)
    }
    var byEntity: [String: any StorePort] = [:]
    for (port, entities) in zip(ports, stores.map(\.entities)) {
      for name in entities where byEntity[name] == nil { byEntity[name] = port }
    }
    portsByEntity = byEntity
    links = RelationshipLinks(schema: schema, types: types)
    entitiesInMemory = stores.filter { store, _ in
      (store as? DefaultStore)?.configuration.isStoredInMemoryOnly == true
    }.reduce(into: []) { $0.formUnion($1.entities) }
    autosaves = AutosaveRegistry(
      outlivesProgram: !byEntity.keys.allSatisfy(entitiesInMemory.contains))
    openSchema = OpenSchemas.Registration(schema, stores: stores.map(\.store.identifier))
  }

  private static func port<S: DataStore>(
    to store: S, _ schema: Schema, _ types: [String: any PersistentModel.Type]
  ) -> any StorePort {
    SnapshotPort(store: store, schema: schema, types: types)
  }

  var storeNames: String {
    stores.map { store in
      guard let known = store as? DefaultStore, !known.configuration.isStoredInMemoryOnly else {
        return "the store \(store.identifier)"
      }
      return "the store at \(known.configuration.url.path)"
    }.joined(separator: " and ")
  }

  func port(forEntity name: String) -> (any StorePort)? { portsByEntity[name] }

  func modelType(forEntity name: String) -> (any PersistentModel.Type)? { types[name] }

  func isStoredInFile(_ entity: String) -> Bool { !entitiesInMemory.contains(entity) }

  var anyModelType: any PersistentModel.Type {
    types.min { $0.key < $1.key }?.value ?? UnknownModel.self
  }
}

// Safe: stores are thread safe by contract, the registry guards itself, the rest is constant.
extension ContainerCoordinator: @unchecked Sendable {}
