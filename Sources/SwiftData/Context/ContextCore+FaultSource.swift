/// What models request from their context: reading missing values, and tracking edits.
///
/// The entry point from `Model` into `Context`: reading a property calls `_fill`, `_toOne` or
/// `_toMany`; setting one calls `_willChange`, `_setToOne` or `_setToMany`.
extension ContextCore: _FaultSource {
  func _fill(_ storage: _ModelStorage) { faults.fill(storage) }

  func _reread(_ storage: _ModelStorage) { faults.reread(storage) }

  func _toOne(_ storage: _ModelStorage, slot: Int) -> AnyObject? {
    noteOtherVersion(storage, slot)
    return faults.toOne(storage, slot: slot, in: self)
  }

  func _toMany(_ storage: _ModelStorage, slot: Int) -> [any PersistentModel] {
    noteOtherVersion(storage, slot)
    return faults.toMany(storage, slot: slot, in: self)
  }

  func _relatedModel(
    _ identifier: PersistentIdentifier, of storage: _ModelStorage, slot: Int
  ) -> AnyObject? {
    faults.partner(identifier, of: storage, slot: slot, in: self)
  }

  func _model(for identifier: PersistentIdentifier) -> AnyObject? {
    faults.model(for: identifier, in: self)
  }

  func _fault(for identifier: PersistentIdentifier) -> AnyObject? {
    faults.fault(for: identifier, in: self)
  }

  func _willChange(_ storage: _ModelStorage, slot: Int) {
    recorder.willChange(storage, slot: slot)
  }

  func _setToOne(_ storage: _ModelStorage, slot: Int, to model: (any PersistentModel)?) {
    guard storage.canBeTracked else { return }
    if storage.source == nil { graph.insert(storage, in: self) }
    if !refusedEdits.isEmpty { refusedEdits.forgetLinks(of: storage, slot) }
    guard let model else { return relationships.setToOne(storage, slot: slot, to: nil) }
    guard let partner = graph.adopted(model, by: storage, slot, in: self) else {
      // A refused edit is unsaved too.
      if !refusedEdits.isEmpty { recorder.willChange(storage, slot: slot) }
      return
    }
    relationships.setToOne(storage, slot: slot, to: partner)
  }

  func _setToMany(
    _ storage: _ModelStorage, slot: Int, to models: [any PersistentModel]?, inPlace: Bool
  ) {
    guard storage.canBeTracked else { return }
    if storage.source == nil { graph.insert(storage, in: self) }
    if noteOtherVersion(storage, slot) { return }
    if !inPlace, !refusedEdits.isEmpty { refusedEdits.forgetLinks(of: storage, slot) }
    let partners = (models ?? []).compactMap { model -> (any PersistentModel)? in
      // A deleted model that is still in the list is not inserted again.
      if model._$storage.source == nil, storage.relationships.toManyForChange(slot).holds(model) {
        return nil
      }
      return graph.adopted(model, by: storage, slot, in: self)
    }
    relationships.setToMany(storage, slot: slot, to: partners)
  }

  func _changeToMany(_ storage: _ModelStorage, slot: Int, by change: _ToManyChange) -> Bool {
    guard storage.canBeTracked else { return true }
    if noteOtherVersion(storage, slot) { return true }
    guard case .toMany(let value) = storage.overlaid(slot) else { return false }
    let count = value.changeCount
    // A model that is being deinitialised must not be retained; setting all members leaves it out.
    guard change.added.allSatisfy({ $0.model._$storage.canBeTracked }) else { return false }
    for (model, _) in change.added where model._$storage.source !== self {
      // A model of another context is replaced by this context's instance.
      guard model._$storage.source == nil,
        graph.adopted(model, by: storage, slot, in: self) != nil
      else { return false }
    }
    // Inserting a model may have added it to the list already.
    guard value.changeCount == count else { return false }
    relationships.changeToMany(storage, slot: slot, by: change)
    return true
  }

  /// Warns once about a property that is declared with a class of another version. Its related
  /// models cannot be shown, and setting a list that could not be read would remove them.
  @discardableResult
  private func noteOtherVersion(_ storage: _ModelStorage, _ slot: Int) -> Bool {
    guard let link = storage.descriptor.link(slot, in: coordinator), link.hasOtherClassVersion
    else { return false }
    OtherVersionWarning.note(storage.descriptor, link)
    return true
  }

  func _note(_ unreadable: UnreadableValue) {
    unreadableValues.note(unreadable)
    UnreadableValueLog.note(unreadable)
  }

  func _noteFailedRead(_ error: any Error) {
    failedReads.note(error)
    unreadableValues.noteCause(error)
  }

  func _forget(_ storage: _ModelStorage) { identities.forget(storage) }
}
