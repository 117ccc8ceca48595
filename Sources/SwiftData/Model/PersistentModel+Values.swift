extension PersistentModel {
  /// The value of an attribute, by key path.
  @_disfavoredOverload
  public func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable {
    persistentBackingData.getValue(forKey: forKey)
  }

  /// The model of a required to-one relationship, by key path.
  public func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value
  where Value: PersistentModel {
    persistentBackingData.getValue(forKey: forKey)
  }

  /// The model of an optional to-one relationship, by key path.
  public func getValue<Value>(forKey: KeyPath<Self, Value?>) -> Value?
  where Value: PersistentModel {
    persistentBackingData.getValue(forKey: forKey)
  }

  /// The models of a to-many relationship, by key path.
  public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: forKey)
  }

  /// The models of a to-many relationship whose type is also decodable, by key path.
  public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: forKey)
  }

  /// The value of a transformed attribute, by key path.
  public func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: forKey)
  }

  /// Sets an attribute, by key path.
  @_disfavoredOverload
  public func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable {
    persistentBackingData.setValue(forKey: forKey, to: newValue)
  }

  /// Sets a required to-one relationship, by key path.
  public func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: forKey, to: newValue)
  }

  /// Sets an optional to-one relationship, by key path.
  public func setValue<Value>(forKey: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: forKey, to: newValue)
  }

  /// Sets a to-many relationship, by key path.
  public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: forKey, to: newValue)
  }

  /// Sets a to-many relationship whose type is also encodable, by key path.
  public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: forKey, to: newValue)
  }

  /// Sets a transformed attribute, by key path.
  public func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: forKey, to: newValue)
  }

  /// The slot of a property; stops the program for a key path that names none.
  public static func _$slot(for keyPath: PartialKeyPath<Self>) -> Int {
    guard let slot = _$descriptor.slot(for: keyPath) else {
      preconditionFailure(
        "\(keyPath) is not a persisted property of \(_$descriptor.entityName); only stored "
          + "properties without @Transient are.")
    }
    return slot
  }
}
