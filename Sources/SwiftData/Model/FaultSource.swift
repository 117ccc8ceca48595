/// The way from a model to the unit of work it belongs to.
///
/// The model layer stands below the context, so a storage reaches its context through this.
public protocol _FaultSource: AnyObject {
  /// Reads the row of a model that is known by identifier only.
  func _fill(_ storage: _ModelStorage)
  /// Reads the row of a model again, which names a value that is not there any more.
  func _reread(_ storage: _ModelStorage)
  /// The model on the other side of a to-one whose row holds `key`.
  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject?
  /// The models on the other side of a to-many, as stored and with unsaved changes.
  func _toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel]
  /// Called before a property of a registered model changes.
  func _willChange(_ storage: _ModelStorage, slot: Int)
  /// Leads a to-one to another model, or to none, and brings the other sides into step.
  func _setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?)
  /// Gives a to-many new members and brings their sides into step.
  func _setToMany(_ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]?)
  /// The partner of a to-one by its identifier, as a fault where it is not in memory.
  func _partner(_ identifier: PersistentIdentifier, of storage: _ModelStorage) -> AnyObject?
  /// Makes some members of a to-many come and go and brings their sides into step.
  /// - Returns: Whether that was possible; else all members have to be set.
  func _changeToMany(_ storage: _ModelStorage, slot: Int, by change: _ToManyChange) -> Bool
  /// The model with an identifier, as a fault where it is not in memory.
  func _model(for identifier: PersistentIdentifier) -> AnyObject?
  /// The model with an identifier; its row may not have been read, and may not exist.
  func _fault(for identifier: PersistentIdentifier) -> AnyObject?
  /// Called where a property reads as a stand-in.
  func _note(_ unreadable: UnreadableValue)
  /// Called while a registered storage is deinitialised, on any thread.
  func _forget(_ storage: _ModelStorage)
}

/// Where storages are found by integer key; a storage removes itself while it is deinitialised.
///
/// A class, so that this costs one direct call.
@usableFromInline
class RowRegistry {
  /// Called on any thread.
  func remove(_ storage: _ModelStorage, for key: Int64) {}
}
