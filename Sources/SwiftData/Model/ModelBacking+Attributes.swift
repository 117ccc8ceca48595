public import OpenSwiftDataRowStorage

extension _ModelBacking {
  // MARK: Scalars

  /// Stores the initial value of a scalar property.
  @inlinable
  public mutating func initialize<M: PersistentModel, V: _ScalarAttribute>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    storageForInitialization(type)?.overlay(value._slotValue, at: slot)
  }

  /// Stores the initial value of an optional scalar property.
  @inlinable
  public mutating func initialize<M: PersistentModel, V: _ScalarAttribute>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) {
    storageForInitialization(type)?.overlay(value?._slotValue ?? .null, at: slot)
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
  @inlinable
  public func set<M: PersistentModel, V: _ScalarAttribute>(
    _ slot: Int, to value: V, of model: M
  ) {
    let storage = object ?? model._$storage
    withMutation(model, slot) { storage.change(slot, to: value._slotValue) }
  }

  /// Changes an optional scalar property.
  @inlinable
  public func set<M: PersistentModel, V: _ScalarAttribute>(
    _ slot: Int, to value: V?, of model: M
  ) {
    let storage = object ?? model._$storage
    withMutation(model, slot) {
      storage.change(slot, to: value?._slotValue ?? .null)
    }
  }

  // MARK: Raw values

  /// Stores the initial value of an enum property by its raw value.
  @inlinable
  public mutating func initialize<M: PersistentModel, V: RawRepresentable & Codable>(
    _ type: M.Type, _ slot: Int, to value: V
  ) where V.RawValue: _ScalarAttribute {
    storageForInitialization(type)?.overlay(value.rawValue._slotValue, at: slot)
  }

  /// Stores the initial value of an optional enum property by its raw value.
  @inlinable
  public mutating func initialize<M: PersistentModel, V: RawRepresentable & Codable>(
    _ type: M.Type, _ slot: Int, to value: V?
  ) where V.RawValue: _ScalarAttribute {
    storageForInitialization(type)?.overlay(value?.rawValue._slotValue ?? .null, at: slot)
  }

  /// Reads an enum property; an unknown raw value reads as a placeholder value.
  @inlinable
  public func get<V: RawRepresentable & Codable>(_ slot: Int) -> V
  where V.RawValue: _ScalarAttribute {
    if let raw: V.RawValue = object?.scalar(slot), let value = V(rawValue: raw) { return value }
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
  @inlinable
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ slot: Int, to value: V, of model: M
  ) where V.RawValue: _ScalarAttribute {
    let storage = object ?? model._$storage
    withMutation(model, slot) { storage.change(slot, to: value.rawValue._slotValue) }
  }

  /// Changes an optional enum property.
  @inlinable
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ slot: Int, to value: V?, of model: M
  ) where V.RawValue: _ScalarAttribute {
    let storage = object ?? model._$storage
    withMutation(model, slot) {
      storage.change(slot, to: value?.rawValue._slotValue ?? .null)
    }
  }

  // MARK: Composites and encoded values

  /// Stores the initial value of a Codable property.
  @_disfavoredOverload
  public mutating func initialize<M: PersistentModel, V: Codable>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    storageForInitialization(type)?.overlay(_ModelStorage.boxed(value), at: slot)
  }

  /// Reads a Codable property; decodes it once.
  @_disfavoredOverload
  public func get<V: Codable>(_ slot: Int) -> V {
    _ModelStorage.decoded(V.self, slot: slot, of: object)
  }

  /// Changes a Codable property.
  @_disfavoredOverload
  public func set<M: PersistentModel, V: Codable>(
    _ slot: Int, to value: V, of model: M
  ) {
    let storage = object ?? model._$storage
    withMutation(model, slot) {
      storage.change(slot, to: _ModelStorage.boxed(value))
    }
  }

  /// The value of a Codable property for an accessor that changes it in place.
  @_disfavoredOverload
  public func lend<V: Codable>(_ slot: Int) -> V { get(slot) }

  /// Stores the value that such an accessor has changed.
  @_disfavoredOverload
  public func takeBack<M: PersistentModel, V: Codable>(
    _ slot: Int, _ value: inout V, of model: M
  ) {
    set(slot, to: value, of: model)
  }

  // MARK: Transformed values

  /// Stores the initial value of a property with a value transformer.
  public mutating func initializeTransformable<M: PersistentModel, V>(
    _ type: M.Type, _ slot: Int, to value: V
  ) {
    storageForInitialization(type)?.overlay(_ModelStorage.boxed(value), at: slot)
  }

  /// Reads a property through its value transformer.
  public func getTransformable<V>(_ slot: Int) -> V {
    _ModelStorage.transformed(V.self, slot: slot, of: object)
  }

  /// Changes a property with a value transformer.
  public func setTransformable<M: PersistentModel, V>(
    _ slot: Int, to value: V, of model: M
  ) {
    let storage = object ?? model._$storage
    withMutation(model, slot) {
      storage.change(slot, to: _ModelStorage.boxed(value))
    }
  }
}

extension _ModelStorage {
  /// A scalar by slot, from the overlay or the row; `nil` for null, for a value that does not fit
  /// the type, and without a row.
  @inlinable
  func scalar<V: _ScalarAttribute>(_ slot: Int) -> V? {
    if overlay != nil, let value: V? = overlaidScalar(slot) { return value }
    guard let row = readableRow(for: slot) else { return nil }
    if row.isNull(slot) { return row.isExternal(slot) ? externalScalar(slot) : nil }
    if let value = V._read(row, slot) { return value }
    noteUnreadable(slot)
    return nil
  }

  /// The outer nil means that the row has the value.
  @inlinable
  func overlaidScalar<V: _ScalarAttribute>(_ slot: Int) -> V?? {
    switch overlaid(slot) {
    case .unset: nil
    case let value: .some(V._unwrap(value))
    }
  }

  /// Puts a value over the row, after the context was asked to track the change.
  @inlinable
  func change(_ slot: Int, to value: _SlotValue) {
    if let source { source._willChange(self, slot: slot) }
    overlay(value, at: slot)
  }
}
