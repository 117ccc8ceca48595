/// The way from a model to the unit of work it belongs to.
///
/// The model layer stands below the context, so a storage reaches its context through this.
public protocol _FaultSource: AnyObject {
  /// Reads the row of a model that is known by identifier only.
  func _fill(_ storage: _ModelStorage)
  /// The model on the other side of a to-one whose row holds `key`.
  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject?
  /// The models on the other side of a to-many, as stored and with unsaved changes.
  func _toMany(_ storage: _ModelStorage, slot: Int) -> [AnyObject]
  /// Called before a property of a registered model changes.
  func _willChange(_ storage: _ModelStorage, slot: Int)
  func _setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?)
  func _setToMany(_ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]?)
  /// The model with an identifier, as a fault where it is not in memory.
  func _model(for identifier: PersistentIdentifier) -> AnyObject?
  /// Called when a pending model gets its temporary identifier.
  func _didIdentify(_ storage: _ModelStorage)
  /// Called when a registered model's last reference goes away.
  func _forget(_ storage: _ModelStorage)
}
