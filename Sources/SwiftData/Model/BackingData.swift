/// The values of one model, by key path.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Creates empty backing data.
  init(for modelType: Model.Type)
  /// The identifier of the model, once it has one.
  var persistentModelID: PersistentIdentifier? { get set }
  /// Details of the implementation.
  var metadata: Any { get }

  /// The value of an attribute.
  @_disfavoredOverload
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// The model of a required to-one relationship.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// The model of an optional to-one relationship.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// The models of a to-many relationship.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// The models of a to-many relationship whose type is also decodable.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// The value of a transformed attribute.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets an attribute.
  @_disfavoredOverload
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Sets a required to-one relationship.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel
  /// Sets an optional to-one relationship.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel
  /// Sets a to-many relationship.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets a to-many relationship whose type is also encodable.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets a transformed attribute.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)

  /// The storage of this library, if the backing data has one.
  var _storage: _ModelStorage? { get }

  /// Refers to the values of another model. Called for backing data of this library only.
  mutating func _replaceStorage(with storage: _ModelStorage)
}

extension BackingData {
  public var _storage: _ModelStorage? { nil }

  public mutating func _replaceStorage(with storage: _ModelStorage) {}

  /// The same values as those of a subclass that is being initialised.
  public func _generateCurrentClassBackingData<CurrentClass>() -> any BackingData<CurrentClass>
  where CurrentClass: PersistentModel {
    _ManagedBackingData<CurrentClass>(_storage ?? copiedStorage())
  }

  /// The same values as those of a superclass.
  public func _superClassBackingData<SuperClass>(
    of givenType: any PersistentModel.Type
  ) -> any BackingData<SuperClass> where SuperClass: PersistentModel {
    _ManagedBackingData<SuperClass>(_storage ?? copiedStorage())
  }
}

extension BackingData {
  /// A storage with the values of backing data of another implementation.
  func copiedStorage() -> _ModelStorage {
    let storage = _ModelStorage(Model._$descriptor)
    if let persistentModelID { storage.identify(as: persistentModelID) }
    for (slot, property) in storage.descriptor.properties.enumerated() {
      guard let value = anyValue(of: property) else { continue }
      storage.overlay(value, at: slot)
    }
    return storage
  }

  /// The value of one property of another implementation, as a slot keeps it.
  func anyValue(of property: ModelProperty) -> _SlotValue? {
    func attribute<V: Codable>(_ type: V.Type) -> _SlotValue? {
      guard let keyPath = property.keyPath as? KeyPath<Model, V> else { return nil }
      let value: V = getValue(forKey: keyPath)
      if let scalar = value as? any _ScalarAttribute { return scalar._slotValue }
      return _SlotValue.boxing(value)
    }
    func toOne<V: PersistentModel>(_ type: V.Type) -> _SlotValue? {
      if let keyPath = property.keyPath as? KeyPath<Model, V?> {
        let value: V? = getValue(forKey: keyPath)
        return value.map { .model($0) } ?? .null
      }
      guard let keyPath = property.keyPath as? KeyPath<Model, V> else { return nil }
      let value: V = getValue(forKey: keyPath)
      return .model(value)
    }
    switch property.form {
    case .attribute:
      let declared = Swift.type(of: property.keyPath).valueType
      guard let codable = declared as? any (Codable).Type else { return nil }
      return attribute(codable)
    case .toOne(let destination): return toOne(destination)
    case .toMany, .transformable: return nil
    }
  }
}
