/// What a context needs from above: the schema, the stores, and somewhere to tell of saves.
protocol StoreCoordinator: AnyObject, Sendable {
  var schema: Schema { get }
  /// The way to the store that keeps an entity.
  func port(forEntity name: String) -> (any StorePort)?
  /// The ways to all stores, in the order of the configurations.
  var ports: [any StorePort] { get }
  /// All stores, in the order of the configurations.
  var stores: [any DataStore] { get }
  /// The model class of an entity.
  func modelType(forEntity name: String) -> (any PersistentModel.Type)?
  /// The entity at the root of an entity's inheritance.
  func rootEntity(of name: String) -> String
  /// Any class of the schema, for identifiers that lead nowhere.
  var anyModelType: any PersistentModel.Type { get }
  /// What the schema says of each relationship.
  var links: RelationshipLinks { get }
  /// What the contexts of the container saved, for each other.
  var journal: SaveJournal { get }
  /// The contexts that have something to autosave.
  var autosaves: AutosaveRegistry { get }
}
