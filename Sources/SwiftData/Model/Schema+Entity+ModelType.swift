extension Schema.Entity {
  /// The type whose models this entity describes; lost when a schema is encoded.
  package final var modelType: (any PersistentModel.Type)? {
    get { _objectType as? any PersistentModel.Type }
    set { _objectType = newValue }
  }
}
