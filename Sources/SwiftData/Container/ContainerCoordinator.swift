import Synchronization

/// What a container offers to its contexts. Immutable once the stores are open, but for what the
/// user may set.
final class ContainerCoordinator: StoreCoordinator {
  let schema: Schema
  let stores: [any DataStore]
  let links: RelationshipLinks
  let changeLog = ChangeLog()
  let autosaves = AutosaveRegistry()
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  let configurations: Mutex<Set<ModelConfiguration>>
  private let storesByEntity: [String: any DataStore]
  private let types: [String: any PersistentModel.Type]
  private let roots: [String: String]

  init(
    schema: Schema, stores: [(store: any DataStore, entities: Set<String>)],
    configurations: Set<ModelConfiguration>, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) {
    self.schema = schema
    self.configurations = Mutex(configurations)
    self.migrationPlan = migrationPlan
    self.stores = stores.map(\.store)
    var byEntity: [String: any DataStore] = [:]
    for (store, entities) in stores {
      for name in entities where byEntity[name] == nil { byEntity[name] = store }
    }
    storesByEntity = byEntity
    types = schema.entitiesByName.compactMapValues(\.modelType)
    roots = schema.entitiesByName.mapValues(\.rootEntity.name)
    links = RelationshipLinks(schema: schema, types: types)
  }

  func store(forEntity name: String) -> (any DataStore)? { storesByEntity[name] }

  func modelType(forEntity name: String) -> (any PersistentModel.Type)? { types[name] }

  func rootEntity(of name: String) -> String { roots[name] ?? name }

  var anyModelType: any PersistentModel.Type {
    types.min { $0.key < $1.key }?.value ?? NoModel.self
  }

  func hasSubclassesWithRelationships(_ descriptor: _ModelDescriptor) -> Bool {
    types.values.contains {
      $0._$descriptor.isKind(of: descriptor) && !$0._$descriptor.relationshipSlots.isEmpty
    }
  }
}

// The stores are thread safe by contract, the registry guards itself, the rest is constant.
extension ContainerCoordinator: @unchecked Sendable {}

/// Stands in where an identifier leads nowhere and the schema has no class at all.
final class NoModel: PersistentModel {
  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  var persistentBackingData: any BackingData<NoModel>

  init(backingData: any BackingData<NoModel>) { persistentBackingData = backingData }
}
