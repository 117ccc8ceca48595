/// Accessors of a property whose type cannot be stored. With them the compiler reports the reason
/// once, instead of listing the overloads for other types.
extension _ModelBacking {
  /// Rejects the property.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      the type of a persisted property must be Codable or a model: make it Codable, mark the property \
      @Transient, or use @Attribute(.transformable(by:))
      """
  )
  public mutating func initialize<M: PersistentModel, V>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {}

  /// Rejects a set of models.
  @available(
    *, unavailable, message: "a to-many relationship is an array: declare the property as [Model]"
  )
  public mutating func initialize<M: PersistentModel, V: PersistentModel>(
    _ type: M.Type, _ slot: Int, to value: Set<V>
  ) {}

  /// Never called: the property is rejected.
  @_disfavoredOverload
  public func get<First: Equatable, V>(_ slot: Int, _: First.Type = Int.self) -> V {
    getTransformable(slot)
  }

  /// Never called: the property is rejected.
  @_disfavoredOverload
  public func set<M: PersistentModel, V>(_ slot: Int, to value: V, of model: M) {}

  /// Never called: the property is rejected.
  @_disfavoredOverload
  public func lend<First: Equatable, V>(_ slot: Int, _: First.Type = Int.self) -> V {
    getTransformable(slot)
  }

  /// Never called: the property is rejected.
  @_disfavoredOverload
  public func takeBack<M: PersistentModel, V>(_ slot: Int, _ value: inout V, of model: M) {}
}
