/// What the accessors of a property call whose type cannot be stored, so that the compiler says why once
/// instead of listing the overloads for types that can.
extension _ModelBacking {
  /// Refuses the property.
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

  /// Not called: the property is refused.
  @_disfavoredOverload
  public func get<V>(_ slot: Int) -> V {
    getTransformable(slot)
  }

  /// Not called: the property is refused.
  @_disfavoredOverload
  public func set<M: PersistentModel, V>(_ slot: Int, to value: V, of model: M) {}
}
