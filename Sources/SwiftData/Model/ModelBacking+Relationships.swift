import OpenSwiftDataRowStorage

/// The accessors of relationships, called from what `@Model` writes; the way into the context is
/// `_FaultSource`.
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
    return _ModelStorage.missingModel(V.self)
  }

  /// Reads an optional to-one relationship.
  public func get<V: PersistentModel>(_ slot: Int) -> V? {
    object?.toOne(slot)
  }

  /// Reads a to-many relationship.
  public func get<V: RelationshipCollection>(_ slot: Int) -> V {
    guard let object else { return V._make(nil) }
    return V._make(object.toMany(slot))
  }

  /// Changes a required to-one relationship; the other side follows.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V, of model: M
  ) {
    withMutation(model, slot) { model._$storage.setToOne(slot, to: value) }
  }

  /// Changes an optional to-one relationship; the other side follows.
  public func set<M: PersistentModel, V: PersistentModel>(
    _ slot: Int, to value: V?, of model: M
  ) {
    withMutation(model, slot) { model._$storage.setToOne(slot, to: value) }
  }

  /// Changes a to-many relationship; the other sides follow.
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
    case .identifier(let identifier): return source?._partner(identifier, of: self) as? V
    case .weakPartners(let partners): return partners.models.first as? V
    case .unset:
      guard let row = readableRow(for: slot), !row.isNull(slot), let source else { return nil }
      return source._toOne(self, slot: slot) as? V
    case .null, .toMany: return nil
    case .integer, .real, .text, .blob, .uuid, .boxed: return nil
    }
  }

  /// The members of a to-many; `nil` when it was never set on a model that no store knows.
  func toMany<V: PersistentModel>(_ slot: Int) -> [V]? {
    if case .toMany(let value) = overlaid(slot), let members = value.members {
      return members.compactMap { $0 as? V }
    }
    guard let source else { return weakMembers(slot) }
    return source._toMany(self, slot: slot).compactMap { $0 as? V }
  }

  private func weakMembers<V: PersistentModel>(_ slot: Int) -> [V]? {
    guard case .weakPartners(let partners) = overlaid(slot) else { return nil }
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

  /// What a required to-one without a partner reads as: a model of its own, in no context.
  static func missingModel<V: PersistentModel>(_ type: V.Type) -> V {
    Materialization.makeModel(type, over: _ModelStorage(type._$descriptor))
  }
}
