/// The interface from a model to the unit of work it belongs to.
///
/// The model layer is below the context, so a storage reaches its context through this protocol.
public protocol _FaultSource: AnyObject {
  /// Reads the row of a model that is known only by identifier.
  func _fill(_ storage: _ModelStorage)
  /// Reads the row of a model again, because a value that the row names no longer exists.
  func _reread(_ storage: _ModelStorage)
  /// The related model of a to-one whose key is in the row.
  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject?
  /// The related models of a to-many: the stored ones with unsaved changes applied.
  func _toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel]
  /// Called before a property of a registered model changes.
  func _willChange(_ storage: _ModelStorage, slot: Int)
  /// Sets a to-one to another model or to none, and updates the other sides.
  func _setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?)
  /// Sets the members of a to-many, and updates their sides.
  /// - Parameter inPlace: Whether the list was changed, not assigned.
  func _setToMany(
    _ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]?, inPlace: Bool)
  /// The related model of a to-one by its identifier; `nil` if no store has its row.
  func _relatedModel(
    _ identifier: PersistentIdentifier, of storage: _ModelStorage, slot: Int
  ) -> AnyObject?
  /// Adds and removes some members of a to-many, and updates their sides.
  /// - Returns: Whether that was possible; if not, all members have to be set.
  func _changeToMany(_ storage: _ModelStorage, slot: Int, by change: _ToManyChange) -> Bool
  /// The model with an identifier; `nil` if no store has its row.
  func _model(for identifier: PersistentIdentifier) -> AnyObject?
  /// The model with an identifier; its row may not have been read, and may not exist.
  func _fault(for identifier: PersistentIdentifier) -> AnyObject?
  /// Called when a property reads as a placeholder value.
  func _note(_ unreadable: UnreadableValue)
  /// Called when the file of a value can't be read, although it may exist. The next read tries again.
  func _noteFailedRead(_ error: any Error)
  /// Called while a registered storage is deinitialised, on any thread.
  func _forget(_ storage: _ModelStorage)
}

/// Finds storages by integer key; a storage removes itself while it is deinitialised.
///
/// A class, so that the removal costs one direct call.
@usableFromInline
class RowRegistry {
  /// Called on any thread.
  func remove(_ storage: _ModelStorage, for key: Int64) {}
}
