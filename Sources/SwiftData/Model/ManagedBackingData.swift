/// The backing data of this library: it resolves key paths to the slots of a model's storage.
public struct _ManagedBackingData<Model: PersistentModel>: BackingData {
  @usableFromInline let storage: _ModelStorage
  /// Keeps the model alive, which owns the storage.
  @usableFromInline let owner: Model?

  @usableFromInline
  init(_ storage: _ModelStorage) {
    self.storage = storage
    owner = nil
  }

  /// The backing data of an existing model.
  public init(_ storage: _ModelStorage, of model: Model) {
    self.storage = storage
    owner = model
  }

  /// Creates empty backing data.
  public init(for modelType: Model.Type) {
    self.init(_ModelStorage(modelType._$descriptor))
  }

  public var _storage: _ModelStorage? { storage }

  /// The identifier of the model, once it has one.
  public var persistentModelID: PersistentIdentifier? {
    get { storage.knownIdentifier }
    nonmutating set { if storage.source == nil { storage.knownIdentifier = newValue } }
  }

  /// The descriptor of the model's class.
  public var metadata: Any { storage.descriptor }

  private var backing: _ModelBacking { _ModelBacking(object: storage) }

  private var model: Model? { owner ?? storage.model as? Model }

  private func read<Value>(_ keyPath: KeyPath<Model, Value>, _ body: (Int) -> Value) -> Value {
    if let slot = Model._$descriptor.slot(for: keyPath) { return body(slot) }
    return UnpersistedProperty.value(of: model, keyPath, storage)
  }

  private func write<Value>(
    _ keyPath: KeyPath<Model, Value>, to value: Value, _ body: (Int) -> Void
  ) {
    if let slot = Model._$descriptor.slot(for: keyPath) { return body(slot) }
    UnpersistedProperty.set(keyPath, of: model, to: value, storage)
  }

  @_disfavoredOverload
  public func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable {
    read(forKey) { storage.attribute($0) }
  }

  public func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value
  where Value: PersistentModel {
    read(forKey) { backing.get($0) }
  }

  public func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value?
  where Value: PersistentModel {
    read(forKey) { backing.get($0) }
  }

  public func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    read(forKey) { backing.get($0) }
  }

  public func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    read(forKey) { backing.get($0) }
  }

  public func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value {
    read(forKey) { backing.getTransformable($0) }
  }

  @_disfavoredOverload
  public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable {
    write(forKey, to: newValue) { storage.change($0, to: storage.slotValue(newValue)) }
  }

  public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel {
    write(forKey, to: newValue) { storage.setToOne($0, to: newValue) }
  }

  public func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    write(forKey, to: newValue) { storage.setToOne($0, to: newValue) }
  }

  public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    write(forKey, to: newValue) { storage.setToMany($0, to: newValue._models) }
  }

  public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    write(forKey, to: newValue) { storage.setToMany($0, to: newValue._models) }
  }

  public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    write(forKey, to: newValue) { storage.change($0, to: _ModelStorage.boxed(newValue)) }
  }
}

extension _ModelStorage {
  func anyScalar<V: _ScalarAttribute>(_ type: V.Type, _ slot: Int) -> Any? {
    let value: V? = scalar(slot)
    return value
  }

  func anyCodable<V>(_ type: V.Type, _ slot: Int) -> V {
    func decode<C: Codable>(_ codable: C.Type) -> V {
      _ModelStorage.decoded(codable, slot: slot, of: self) as? V
        ?? _ModelStorage.placeholderValue(for: type, slot: slot, of: self)
    }
    if let raw = rawValue(type, slot) { return raw }
    guard let codable = type as? any (Codable).Type else {
      return _ModelStorage.placeholderValue(for: type, slot: slot, of: self)
    }
    return decode(codable)
  }

  /// An enum by its raw value; `nil` for types without one.
  private func rawValue<V>(_ type: V.Type, _ slot: Int) -> V? {
    let wrapped = unwrappedType(of: type) ?? type
    guard let representable = wrapped as? any RawRepresentable.Type,
      case .attribute(.rawValue) = descriptor.properties[slot].form
    else { return nil }
    return make(representable, slot) as? V
  }

  private func make<R: RawRepresentable>(_ type: R.Type, _ slot: Int) -> Any? {
    guard let scalar = R.RawValue.self as? any _ScalarAttribute.Type,
      let raw = anyScalar(scalar, slot) as? R.RawValue
    else { return nil }
    return R(rawValue: raw)
  }

  /// Any attribute value as a slot keeps it: scalars and raw values in plain form, others boxed.
  func slotValue<V>(_ value: V) -> _SlotValue {
    if let optional = value as? any OptionalValue, optional.isNil { return .null }
    if let scalar = value as? any _ScalarAttribute { return scalar._slotValue }
    if let raw = (value as? any RawRepresentable)?.anyRawValue as? any _ScalarAttribute,
      value is any Codable
    {
      return raw._slotValue
    }
    return _ModelStorage.boxed(value)
  }
}

extension RawRepresentable {
  fileprivate var anyRawValue: Any { rawValue }
}
