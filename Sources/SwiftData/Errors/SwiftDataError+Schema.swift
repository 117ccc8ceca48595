/// What is said of a class or an entity that a container, or one of its stores, does not know.
extension SwiftDataError {
  /// A class that the schema of a container lacks.
  /// - Parameters:
  ///   - name: The name of the class.
  ///   - entity: The name that its entity has, or would have.
  static func notInSchema(class name: String, entity: String) -> SwiftDataError {
    unknownSchema.with(
      "The class \(name) is not in the schema of this container. Add it to ModelContainer(for:).",
      entity: entity)
  }

  /// An entity that is in the schema, and that no store keeps, or not the one that was asked.
  /// - Parameter store: The name of the store; nil for all stores of the container.
  static func notKept(entity: String, by store: String? = nil) -> SwiftDataError {
    unknownSchema.with(
      store.map { "The store \($0) does not keep this entity." } ?? "No store keeps this entity.",
      entity: entity)
  }
}
