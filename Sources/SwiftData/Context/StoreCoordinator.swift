/// What a context needs from its container: the schema, the stores, and what contexts share.
protocol StoreCoordinator: AnyObject, Sendable {
  var schema: Schema { get }
  /// The port to the store that contains an entity.
  func port(forEntity name: String) -> (any StorePort)?
  /// The ports to all stores, in the order of the configurations.
  var ports: [any StorePort] { get }
  /// The names of the stores, for errors.
  var storeNames: String { get }
  /// The model class of an entity.
  func modelType(forEntity name: String) -> (any PersistentModel.Type)?
  /// Any class of the schema, for identifiers without a row.
  var anyModelType: any PersistentModel.Type { get }
  /// - Throws: `SwiftDataError.containerClosed` if the container was closed.
  func requireOpen() throws
  /// The links of all relationships of the schema.
  var links: RelationshipLinks { get }
  /// What the contexts of the container saved recently, for each other.
  var changeLog: ChangeLog { get }
  /// Fired after each commit of a context and, while that is observed, of another container or
  /// process.
  var commits: Signals { get }
  /// The contexts that have changes to autosave.
  var autosaves: AutosaveRegistry { get }
  /// Reports contexts that are released with unsaved changes.
  var unsavedChanges: UnsavedChangesLog { get }
  /// Whether the store of an entity outlives the container; false for a store in memory.
  func isStoredInFile(_ entity: String) -> Bool
}

extension StoreCoordinator {
  /// Whether the schema contains this class of a model; another class may have an entity of its
  /// name.
  func knows(_ descriptor: _ModelDescriptor) -> Bool {
    modelType(forEntity: descriptor.entityName) == descriptor.type
  }

  /// Why the schema does not contain a class.
  func unknown(_ type: any PersistentModel.Type) -> SwiftDataError {
    let descriptor = type._$descriptor
    let name = _ModelDescriptor.entityName(of: type)
    guard descriptor.type == type else {
      return .subclassWithoutMacro(class: name, superclass: descriptor.entityName)
    }
    guard let known = modelType(forEntity: descriptor.entityName) else {
      return .notInSchema(class: "\(type)", entity: name)
    }
    return .otherVersion(
      of: _ModelDescriptor.qualifiedName(of: known),
      class: _ModelDescriptor.qualifiedName(of: type), entity: name)
  }

  /// Whether the schema contains this class, and the class has a descriptor of its own.
  func contains(_ type: any PersistentModel.Type) -> Bool {
    let descriptor = type._$descriptor
    return descriptor.type == type && knows(descriptor)
  }

  /// The port to the store that contains the models of a class.
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the schema lacks, or
  ///   `.containerClosed`.
  func port(of type: any PersistentModel.Type) throws -> any StorePort {
    try requireOpen()
    guard contains(type), let port = port(forEntity: type._$descriptor.entityName) else {
      throw unknown(type)
    }
    return port
  }
}

extension _ModelDescriptor {
  /// The name of a type with its enclosing types, without the module.
  fileprivate static func qualifiedName(of type: any Any.Type) -> String {
    // A private type is in a context without a name.
    String(reflecting: type).split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }
      .joined(separator: ".")
  }
}
