extension Schema.Entity {
  /// The type whose models this entity describes; lost when a schema is encoded.
  package final var modelType: (any PersistentModel.Type)? {
    get { describedClass as? any PersistentModel.Type }
    set { describedClass = newValue }
  }
}
