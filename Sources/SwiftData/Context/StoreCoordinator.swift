/// What a context needs from its container: the schema, the stores, and what contexts share.
protocol StoreCoordinator: AnyObject, Sendable {
  var schema: Schema { get }
  /// The way to the store that keeps an entity.
  func port(forEntity name: String) -> (any StorePort)?
  /// The ways to all stores, in the order of the configurations.
  var ports: [any StorePort] { get }
  /// The stores as errors name them.
  var storeNames: String { get }
  /// The model class of an entity.
  func modelType(forEntity name: String) -> (any PersistentModel.Type)?
  /// The entity at the root of an entity's inheritance.
  func rootEntity(of name: String) -> String
  /// Any class of the schema, for identifiers that lead nowhere.
  var anyModelType: any PersistentModel.Type { get }
  /// What the schema says of each relationship.
  var links: RelationshipLinks { get }
  /// What the contexts of the container saved lately, for each other.
  var changeLog: ChangeLog { get }
  /// Called after each commit of a context.
  var commits: Signals { get }
  /// The contexts that have something to autosave.
  var autosaves: AutosaveRegistry { get }
  /// Reports contexts that are gone with unsaved changes.
  var unsavedChanges: UnsavedChangesLog { get }
  /// Whether the store of an entity outlives the container; a store in memory does not.
  func isStoredInFile(_ entity: String) -> Bool
}

extension StoreCoordinator {
  /// Whether the schema has the very class of a model: another one may have an entity of its name.
  func knows(_ descriptor: _ModelDescriptor) -> Bool {
    modelType(forEntity: descriptor.entityName) == descriptor.type
  }

  func unknown(_ descriptor: _ModelDescriptor) -> SwiftDataError {
    .notInSchema(class: "\(descriptor.type)", entity: descriptor.entityName)
  }

  /// The port to the store that keeps the models of a class.
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the schema lacks.
  func port(of descriptor: _ModelDescriptor) throws -> any StorePort {
    guard let port = port(forEntity: descriptor.entityName), knows(descriptor) else {
      throw unknown(descriptor)
    }
    return port
  }
}
