/// What a context needs from its container: the schema, the stores, and what contexts share.
protocol StoreCoordinator: AnyObject, Sendable {
  var schema: Schema { get }
  /// The store that keeps an entity.
  func store(forEntity name: String) -> (any DataStore)?
  /// All stores, in the order of the configurations.
  var stores: [any DataStore] { get }
  /// The model class of an entity.
  func modelType(forEntity name: String) -> (any PersistentModel.Type)?
  /// The entity at the root of an entity's inheritance.
  func rootEntity(of name: String) -> String
  /// Any class of the schema, for identifiers that lead nowhere.
  var anyModelType: any PersistentModel.Type { get }
  func hasSubclassesWithRelationships(_ descriptor: _ModelDescriptor) -> Bool
  /// What the schema says of each relationship.
  var links: RelationshipLinks { get }
  /// What the contexts of the container saved lately, for each other.
  var changeLog: ChangeLog { get }
  /// The contexts that have something to autosave.
  var autosaves: AutosaveRegistry { get }
}
