/// Errors about a class or an entity that a container, or one of its stores, does not contain.
extension SwiftDataError {
  /// A class that the schema of a container lacks.
  /// - Parameters:
  ///   - name: The name of the class.
  ///   - entity: The name that its entity has or would have.
  static func notInSchema(class name: String, entity: String) -> SwiftDataError {
    unknownSchema.with(
      "The class \(name) is not in the schema of this container. Add it to ModelContainer(for:).",
      entity: entity)
  }

  /// A class of another version of the models.
  /// - Parameter known: The class that has the entity in this container.
  static func otherVersion(of known: String, class name: String, entity: String) -> SwiftDataError {
    unknownSchema.with(
      "The container has the class \(known) for the entity \(entity), not \(name). Use \(known) here. In "
        + "willMigrate the classes are those of fromVersion, in didMigrate those of toVersion.",
      entity: entity)
  }

  /// A subclass of a model that has no `@Model`, so its own properties would not be stored.
  static func subclassWithoutMacro(
    class name: String, superclass: String
  ) -> SwiftDataError {
    unknownSchema.with(
      "\(name) inherits from the model \(superclass) but is not a model, so its own properties would not "
        + "be stored. Add @Model to \(name), and list it in ModelContainer(for:).", entity: name)
  }

  /// An entity of the schema that no store contains, or that the requested store does not contain.
  /// - Parameter store: The name of the store; nil for all stores of the container.
  static func notStored(entity: String, by store: String? = nil) -> SwiftDataError {
    unknownSchema.with(
      store.map { "The store \($0) lacks this entity." } ?? "No store has this entity.",
      entity: entity)
  }
}
