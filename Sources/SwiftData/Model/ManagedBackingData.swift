/// The backing data of this library: it resolves key paths to the slots of a model's storage.
public struct _ManagedBackingData<Model: PersistentModel>: BackingData {
  @usableFromInline var storage: _ModelStorage
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

  public mutating func _replaceStorage(with storage: _ModelStorage) { self.storage = storage }

  /// The identifier of the model, once it has one.
  public var persistentModelID: PersistentIdentifier? {
    get { storage.knownIdentifier }
    nonmutating set {
      guard storage.source == nil else { return }
      if let newValue { storage.identify(as: newValue) } else { storage.forgetIdentifier() }
    }
  }

  /// The descriptor of the model's class.
  public var metadata: Any { storage.descriptor }

  private var backing: _ModelBacking { _ModelBacking(object: storage) }

  private var model: Model? { owner ?? storage.model as? Model }

  private func read<Value>(_ keyPath: KeyPath<Model, Value>, _ body: (Int) -> Value) -> Value {
    if let slot = Model._$descriptor.slot(for: keyPath) {
      storage.willRead(slot)
      return body(slot)
    }
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
    write(forKey, to: newValue) {
      storage.allowNil($0)
      storage.change($0, to: .attribute(newValue))
    }
  }

  public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel {
    write(forKey, to: newValue) { storage.relationships.setToOne($0, to: newValue) }
  }

  public func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    write(forKey, to: newValue) { storage.relationships.setToOne($0, to: newValue) }
  }

  public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    write(forKey, to: newValue) { storage.relationships.setToMany($0, to: newValue._models) }
  }

  public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    write(forKey, to: newValue) { storage.relationships.setToMany($0, to: newValue._models) }
  }

  public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    write(forKey, to: newValue) {
      storage.allowNil($0)
      storage.change($0, to: .boxing(newValue))
    }
  }
}
