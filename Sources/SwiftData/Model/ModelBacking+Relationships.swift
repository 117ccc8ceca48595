import OpenSwiftDataRowStorage

/// The accessors of relationships, called by the code that `@Model` generates. They reach the
/// context through `_FaultSource`.
extension _ModelBacking {
  /// Stores the initial value of a to-one relationship.
  public mutating func initialize<M: PersistentModel, V: PersistentModel>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    storageForInitialization(type)?.overlay(.model(value), at: slot)
  }

  /// Stores the initial value of an optional to-one relationship.
  public mutating func initialize<M: PersistentModel, V: PersistentModel>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) {
    storageForInitialization(type)?.overlay(value.map { .model($0) } ?? .null, at: slot)
  }

  /// Stores the initial value of a to-many relationship.
  public mutating func initialize<M: PersistentModel, V: RelationshipCollection>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    guard let storage = storageForInitialization(type) else { return }
    storage.overlay(.toMany(_ToManyValue(members: value._models ?? [])), at: slot)
  }

  /// Reads a required to-one relationship.
  public func get<V: PersistentModel>(_ slot: Int) -> V {
    if let model: V = object?.toOne(slot) { return model }
    object?.noteUnreadable(slot)
    return _ModelStorage.placeholderModel(V.self)
  }

  /// Reads an optional to-one relationship.
  public func get<V: PersistentModel>(_ slot: Int) -> V? {
    object?.toOne(slot)
  }

  /// Reads a to-many relationship. An optional one without members is empty and never nil: stores
  /// cannot distinguish the two.
  public func get<V: RelationshipCollection>(_ slot: Int) -> V {
    V._make(object?.toMany(slot) ?? [])
  }

  /// Changes a required to-one relationship, and updates the other side.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V, of model: M
  ) {
    withMutation(model, slot) { model._$storage.setToOne(slot, to: value) }
  }

  /// Changes an optional to-one relationship, and updates the other side.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V?, of model: M
  ) {
    withMutation(model, slot) { model._$storage.setToOne(slot, to: value) }
  }

  /// Passes the array of a to-many relationship to an accessor that changes it in place.
  public func lend<V: RelationshipCollection>(_ slot: Int) -> V {
    V._make(object?.lendToMany(slot) ?? [])
  }

  /// Takes such an array back, and updates the other sides of changed members.
  public func takeBack<M: PersistentModel, V: RelationshipCollection>(
    _ slot: Int, _ value: inout V, of model: M
  ) {
    var models = value._models
    value = V._make(nil)
    withMutation(model, slot) { model._$storage.takeBackToMany(slot, &models) }
  }

  /// Changes a to-many relationship, and updates the other sides.
  public func set<M: PersistentModel, V: RelationshipCollection>(
    _ slot: Int, to value: V, of model: M
  ) {
    withMutation(model, slot) { model._$storage.setToMany(slot, to: value._models) }
  }
}

extension _ModelStorage {
  func toOne<V: PersistentModel>(_ slot: Int) -> V? {
    switch overlaid(slot) {
    case .model(let model): return model as? V
    case .identifier(let identifier): return source?._relatedModel(identifier, of: self) as? V
    case .weakReferences(let partners): return partners.models.first as? V
    case .unset:
      guard let row = readableRow(for: slot), !row.isNull(slot), let source else { return nil }
      return source._toOne(self, slot: slot) as? V
    case .null, .toMany: return nil
    case .integer, .real, .text, .blob, .uuid, .boxed: return nil
    }
  }

  /// The members of a to-many; `nil` if it was never set on a model that was never saved.
  func toMany<V: PersistentModel>(_ slot: Int) -> [V]? {
    if let models = loadedArray(slot, of: V.self) { return models }
    guard let source else { return weakMembers(slot) }
    let members = source._toMany(self, slot: slot)
    return loadedArray(slot, of: V.self) ?? members.compactMap { $0 as? V }
  }

  private func loadedArray<V: PersistentModel>(_ slot: Int, of type: V.Type) -> [V]? {
    guard case .toMany(let value) = overlaid(slot), let members = value.members else { return nil }
    return value.array(of: type)?.models ?? members.compactMap { $0 as? V }
  }

  private func weakMembers<V: PersistentModel>(_ slot: Int) -> [V]? {
    guard case .weakReferences(let partners) = overlaid(slot) else { return nil }
    return partners.models.compactMap { $0 as? V }
  }

  func setToOne(_ slot: Int, to value: (any PersistentModel)?) {
    if let source = source ?? value?._$storage.source {
      source._setToOne(self, slot: slot, to: value)
    } else {
      overlay(value.map { .model($0) } ?? .null, at: slot)
    }
  }

  func setToMany(_ slot: Int, to models: [any PersistentModel]?) {
    let partner = models?.lazy.compactMap { $0._$storage.source }.first
    if let source = source ?? partner {
      source._setToMany(self, slot: slot, to: models)
    } else {
      overlay(.toMany(_ToManyValue(members: models ?? [])), at: slot)
    }
  }

  /// The value of a required to-one without a related model: a new model without a context.
  static func placeholderModel<V: PersistentModel>(_ type: V.Type) -> V {
    Materialization.makeModel(type, over: _ModelStorage(type._$descriptor))
  }
}
