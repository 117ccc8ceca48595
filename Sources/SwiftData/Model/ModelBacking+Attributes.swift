extension _ModelBacking {
  // MARK: Scalars

  /// Stores the initial value of a scalar property.
  @_transparent
  public mutating func initialize<M: PersistentModel, V: _ScalarAttribute>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    initialize(type, slot, with: value._slotValue)
  }

  /// Stores the initial value of an optional scalar property.
  @_transparent
  public mutating func initialize<M: PersistentModel, V: _ScalarAttribute>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) {
    initialize(type, slot, with: value?._slotValue ?? .null)
  }

  /// Reads a scalar property.
  @inlinable
  public func get<V: _ScalarAttribute>(_ slot: Int) -> V {
    guard let object = borrowed else { return V._empty }
    return object._withUnsafeGuaranteedRef { $0.scalar(slot) ?? $0.missing(slot) }
  }

  /// Reads an optional scalar property.
  @inlinable
  public func get<V: _ScalarAttribute>(_ slot: Int) -> V? {
    guard let object = borrowed else { return nil }
    return object._withUnsafeGuaranteedRef { $0.scalar(slot) }
  }

  /// Changes a scalar property.
  @_transparent
  public func set<M: PersistentModel, V: _ScalarAttribute>(
    _ slot: Int, to value: V, of model: M
  ) {
    Self.change(slot, to: value._slotValue, of: model, in: object)
  }

  /// Changes an optional scalar property.
  @_transparent
  public func set<M: PersistentModel, V: _ScalarAttribute>(
    _ slot: Int, to value: V?, of model: M
  ) {
    Self.change(slot, to: value?._slotValue ?? .null, of: model, in: object)
  }

  // MARK: Raw values

  /// Stores the initial value of an enum property by its raw value.
  @_transparent
  public mutating func initialize<M: PersistentModel, V: RawRepresentable & Codable>(
    _ type: M.Type, _ slot: Int, to value: V
  ) where V.RawValue: _ScalarAttribute {
    initialize(type, slot, with: value.rawValue._slotValue)
  }

  /// Stores the initial value of an optional enum property by its raw value.
  @_transparent
  public mutating func initialize<M: PersistentModel, V: RawRepresentable & Codable>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) where V.RawValue: _ScalarAttribute {
    initialize(type, slot, with: value?.rawValue._slotValue ?? .null)
  }

  /// Reads an enum property; an unknown raw value reads as a placeholder value.
  @inlinable
  public func get<V: RawRepresentable & Codable>(_ slot: Int) -> V
  where V.RawValue: _ScalarAttribute {
    if let raw: V.RawValue = object?.scalar(slot) ?? object?.storedNaN(slot),
      let value = V(rawValue: raw)
    {
      return value
    }
    return _ModelStorage.placeholderValue(for: V.self, slot: slot, of: object)
  }

  /// Reads an optional enum property; an unknown raw value reads as nil.
  @inlinable
  public func get<V: RawRepresentable & Codable>(_ slot: Int) -> V?
  where V.RawValue: _ScalarAttribute {
    guard let raw: V.RawValue = object?.scalar(slot) else { return nil }
    if let value = V(rawValue: raw) { return value }
    object?.noteUnreadable(slot)
    return nil
  }

  /// Changes an enum property.
  @_transparent
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ slot: Int, to value: V, of model: M
  ) where V.RawValue: _ScalarAttribute {
    Self.change(slot, to: value.rawValue._slotValue, of: model, in: object)
  }

  /// Changes an optional enum property.
  @_transparent
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ slot: Int, to value: V?, of model: M
  ) where V.RawValue: _ScalarAttribute {
    Self.change(slot, to: value?.rawValue._slotValue ?? .null, of: model, in: object)
  }

  // MARK: Composites and encoded values

  /// Stores the initial value of a Codable property.
  @_disfavoredOverload
  public mutating func initialize<M: PersistentModel, V: Codable>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    if ignoresInitialValues { return }
    initialize(type, slot, with: _SlotValue.boxing(value))
  }

  /// Reads a Codable property; decodes it once.
  ///
  /// In a module with the default isolation `MainActor`, the conformance of the property's type is isolated.
  /// The compiler refuses it in a getter, which is not, unless another conformance comes first, as in setters.
  @_disfavoredOverload
  public func get<First: Equatable, V: Codable>(_ slot: Int, _: First.Type = Int.self) -> V {
    _ModelStorage.decoded(V.self, slot: slot, of: object)
  }

  /// Changes a Codable property.
  @_disfavoredOverload
  public func set<M: PersistentModel, V: Codable>(
    _ slot: Int, to value: V, of model: M
  ) {
    Self.change(slot, to: _SlotValue.boxing(value), of: model, in: object)
  }

  /// The value of a Codable property for an accessor that changes it in place.
  @_disfavoredOverload
  public func lend<First: Equatable, V: Codable>(_ slot: Int, _: First.Type = Int.self) -> V {
    get(slot)
  }

  /// Stores the value that such an accessor has changed.
  @_disfavoredOverload
  public func takeBack<M: PersistentModel, V: Codable>(
    _ slot: Int, _ value: inout V, of model: M
  ) {
    object?.willSetInPlace(slot)
    set(slot, to: value, of: model)
  }

  // MARK: Transformed values

  /// Stores the initial value of a property with a value transformer.
  public mutating func initializeTransformable<M: PersistentModel, V>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    if ignoresInitialValues { return }
    initialize(type, slot, with: _SlotValue.boxing(value))
  }

  /// Reads a property through its value transformer.
  public func getTransformable<V>(_ slot: Int) -> V {
    _ModelStorage.transformed(V.self, slot: slot, of: object)
  }

  /// Changes a property with a value transformer.
  public func setTransformable<M: PersistentModel, V>(
    _ slot: Int, to value: V, of model: M
  ) {
    Self.change(slot, to: _SlotValue.boxing(value), of: model, in: object)
  }
}
