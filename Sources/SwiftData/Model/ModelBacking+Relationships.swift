import OpenSwiftDataRowStorage

/// The accessors of relationships, called by the code that `@Model` generates. They reach the
/// context through `_FaultSource`.
extension _ModelBacking {
  /// Stores the initial value of a to-one relationship.
  public mutating func initialize<M: PersistentModel, V: PersistentModel>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    if ignoresInitialValues { return }
    initialize(type, slot, with: .model(value))
  }

  /// Stores the initial value of an optional to-one relationship.
  public mutating func initialize<M: PersistentModel, V: PersistentModel>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) {
    if ignoresInitialValues { return }
    initialize(type, slot, with: value.map { .model($0) } ?? .null)
  }

  /// Stores the initial value of a to-many relationship.
  public mutating func initialize<M: PersistentModel, V: RelationshipCollection>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    if ignoresInitialValues { return }
    initialize(type, slot, with: .toMany(_ToManyValue(members: value._models ?? [])))
  }

  /// Reads a required to-one relationship; a new model without a context if there is none.
  public func get<V: PersistentModel>(_ slot: Int) -> V {
    if let model: V = object?.relationships.toOne(slot) { return model }
    object?.noteUnreadable(slot)
    return Materialization.makeModel(V.self, over: _ModelStorage(V._$descriptor))
  }

  /// Reads an optional to-one relationship.
  public func get<V: PersistentModel>(_ slot: Int) -> V? {
    object?.relationships.toOne(slot)
  }

  /// Reads a to-many relationship. An optional one without members is empty and never nil: stores
  /// cannot distinguish the two.
  public func get<V: RelationshipCollection>(_ slot: Int) -> V {
    V._make(object?.relationships.toMany(slot) ?? [])
  }

  /// Changes a required to-one relationship, and updates the other side.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V, of model: M
  ) {
    withMutation(model, slot) { model._$storage.relationships.setToOne(slot, to: value) }
  }

  /// Changes an optional to-one relationship, and updates the other side.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V?, of model: M
  ) {
    withMutation(model, slot) { model._$storage.relationships.setToOne(slot, to: value) }
  }

  /// Passes the array of a to-many relationship to an accessor that changes it in place.
  public func lend<V: RelationshipCollection>(_ slot: Int) -> V {
    V._make(object?.relationships.lendToMany(slot) ?? [])
  }

  /// Takes such an array back, and updates the other sides of changed members.
  public func takeBack<M: PersistentModel, V: RelationshipCollection>(
    _ slot: Int, _ value: inout V, of model: M
  ) {
    var models = value._models
    value = V._make(nil)
    withMutation(model, slot) { model._$storage.relationships.takeBackToMany(slot, &models) }
  }

  /// Changes a to-many relationship, and updates the other sides.
  public func set<M: PersistentModel, V: RelationshipCollection>(
    _ slot: Int, to value: V, of model: M
  ) {
    withMutation(model, slot) { model._$storage.relationships.setToMany(slot, to: value._models) }
  }
}
