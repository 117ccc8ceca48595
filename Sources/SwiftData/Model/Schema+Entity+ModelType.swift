extension Schema.Entity {
  /// The type whose models this entity describes; not part of an encoded schema.
  package final var modelType: (any PersistentModel.Type)? {
    get { _objectType as? any PersistentModel.Type }
    set { _objectType = newValue }
  }
}
