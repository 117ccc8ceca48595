import OpenSwiftDataRowStorage

/// The relationships of one model in memory: to-ones, lists of members, and identifiers of related
/// models that are found when they are read.
///
/// A view of a `_ModelStorage`: the values are in its overlay, at the slots of relationships, so
/// they cost a model no memory of their own. The accessors that `@Model` generates read and set
/// related models through it. The context keeps both sides of a relationship consistent
/// (`RelationshipFixer`).
///
/// | value | to-one | to-many |
/// |---|---|---|
/// | `.unset` | the key is in the row | the members are not loaded, nothing has changed |
/// | `.null` | no related model | - |
/// | `.model` | a retained model | - |
/// | `.identifier` | a model that the context finds | - |
/// | `.toMany` | - | the known members and the changes |
/// | `.weakReferences` | in a graph that left its context unsaved, or whose row is gone | the same |
///
/// Invariants: a slot has only the values of its column, and no attribute has the value of a
/// relationship.
@usableFromInline
struct RelationshipValues {
  let storage: _ModelStorage

  private var descriptor: _ModelDescriptor { storage.descriptor }

  private var source: (any _FaultSource)? { storage.source }

  /// The value in memory; `.unset` if only the row or the store has one.
  func value(_ slot: Int) -> RelationshipValue { storage.overlaid(slot).relationship }

  private func overlay(_ value: _SlotValue, at slot: Int) { storage.overlay(value, at: slot) }

  /// Makes a list read its members again; unsaved additions and removals are applied to them.
  func forgetMembers(_ slot: Int) {
    guard case .toMany(let value) = storage.overlaid(slot) else { return }
    if value.isChanged { value.unload() } else { overlay(.unset, at: slot) }
  }

  // MARK: To-one

  /// The value in memory. The row of a fault is read before, because a custom store gives the identifier of
  /// a related model in place of a key in the row.
  private func filledValue(_ slot: Int) -> RelationshipValue {
    let known = value(slot)
    guard case .unset = known, storage.flags.contains(.isFault) else { return known }
    _ = storage.readableRow(for: slot)
    return value(slot)
  }

  /// The related model as its getter returns it; nil also if it has another type.
  func toOne<V: PersistentModel>(_ slot: Int) -> V? {
    switch filledValue(slot) {
    case .model(let model): return model as? V
    case .identifier(let identifier):
      return source?._relatedModel(identifier, of: storage, slot: slot) as? V
    case .weakReferences(let partners): return partners.models.first as? V
    case .unset:
      guard let row = storage.knownRow(for: slot), !row.isNull(slot), let source else { return nil }
      return source._toOne(storage, slot: slot) as? V
    case .null, .toMany: return nil
    }
  }

  /// The related model of a to-one; a fault if it is not in memory.
  func partner(_ slot: Int) -> (any PersistentModel)? {
    switch filledValue(slot) {
    case .model(let model): return model
    case .identifier(let identifier):
      return source?._relatedModel(identifier, of: storage, slot: slot) as? any PersistentModel
    case .unset:
      guard let row = storage.knownRow(for: slot), !row.isNull(slot), let source else { return nil }
      return source._toOne(storage, slot: slot) as? any PersistentModel
    case .null, .toMany, .weakReferences: return nil
    }
  }

  /// Whether a to-one refers to a model by its identifier, or by its key in the row in memory.
  func refersWithoutModel(_ slot: Int) -> Bool {
    switch value(slot) {
    case .identifier: true
    case .unset:
      descriptor.properties[slot].isToOne && storage.knownRow(for: slot)?.isNull(slot) == false
    case .null, .model, .toMany, .weakReferences: false
    }
  }

  /// Whether a to-one refers to the row of a model. After an upsert it may hold another instance of the row.
  func refers(_ slot: Int, to other: _ModelStorage) -> Bool {
    guard let partner = partner(slot)?._$storage else { return false }
    if partner === other { return true }
    guard let row = partner.knownIdentifier, !row.isTemporary else { return false }
    return row == other.knownIdentifier
  }

  /// Sets a to-one, and the other side if one of the models has a context.
  func setToOne(_ slot: Int, to value: (any PersistentModel)?) {
    if let source = source ?? value?._$storage.source {
      storage.willSet(slot)
      source._setToOne(storage, slot: slot, to: value)
      storage.didSet(slot)
    } else {
      overlay(value.map { .model($0) } ?? .null, at: slot)
    }
  }

  // MARK: To-many

  /// The members as their getter returns them; `nil` if they were never set on a model that was
  /// never saved.
  func toMany<V: PersistentModel>(_ slot: Int) -> [V]? {
    if let models = loadedArray(slot, of: V.self) ?? weakMembers(slot) { return models }
    guard let source else { return nil }
    let members = source._toMany(storage, slot: slot)
    return loadedArray(slot, of: V.self) ?? members.compactMap { $0 as? V }
  }

  private func loadedArray<V: PersistentModel>(_ slot: Int, of type: V.Type) -> [V]? {
    guard case .toMany(let value) = self.value(slot), let members = value.members else {
      return nil
    }
    return value.array(of: type)?.models ?? members.compactMap { $0 as? V }
  }

  private func weakMembers<V: PersistentModel>(_ slot: Int) -> [V]? {
    guard case .weakReferences(let partners) = self.value(slot) else { return nil }
    return partners.models.compactMap { $0 as? V }
  }

  /// A to-many with all its members; without them if the store can't be read.
  func loadedToMany(_ slot: Int) -> _ToManyValue {
    let value = toManyForChange(slot)
    if value.members != nil { return value }
    let stored = source?._toMany(storage, slot: slot) ?? []
    if lacksMembers(slot) { return value }
    // The source may have loaded the value itself, or created another one.
    if value.members == nil { _ = value.load(stored) }
    overlay(.toMany(value), at: slot)
    return value
  }

  /// Whether the store could not be read for the members of a list.
  private func lacksMembers(_ slot: Int) -> Bool {
    guard source != nil, !storage.isDeinitialising, case .toMany(let value) = self.value(slot)
    else { return false }
    return value.members == nil
  }

  /// A to-many to record changes in, loaded or not.
  func toManyForChange(_ slot: Int) -> _ToManyValue {
    if case .toMany(let value) = self.value(slot) { return value }
    let isNew = storage.flags.contains(.isInserted) || source == nil
    let value = isNew ? _ToManyValue(members: []) : _ToManyValue()
    overlay(.toMany(value), at: slot)
    return value
  }

  /// Sets the members, and the other sides if one of the models has a context.
  /// - Parameter inPlace: Whether the list was changed, not assigned.
  func setToMany(_ slot: Int, to models: [any PersistentModel]?, inPlace: Bool = false) {
    let partner = models?.lazy.compactMap { $0._$storage.source }.first
    if let source = source ?? partner {
      storage.willSet(slot)
      source._setToMany(storage, slot: slot, to: models, inPlace: inPlace)
      if lacksMembers(slot) { storage.didSetUnread(slot) }
      storage.didSet(slot)
    } else {
      overlay(.toMany(_ToManyValue(members: models ?? [])), at: slot)
    }
  }

  /// The array of a to-many for an accessor that changes it in place and returns it.
  func lendToMany<V: PersistentModel>(_ slot: Int) -> [V]? {
    // Reading loads the members.
    let models: [V]? = toMany(slot)
    guard case .toMany(let value) = self.value(slot) else { return models }
    return lent(value) ?? models
  }

  private func lent<V: PersistentModel>(_ value: _ToManyValue) -> [V]? { value.lend(V.self) }

  /// Sets the members to a borrowed array, and updates the other sides.
  func takeBackToMany<V: PersistentModel>(_ slot: Int, _ models: inout [V]?) {
    guard models != nil, case .toMany(let value) = self.value(slot),
      let array = value.takeLent(V.self)
    else { return takeBackUnlent(slot, models) }
    let countBefore = value.changeCount
    let difference = array.takeBack(&models)
    guard let change = value.change(for: difference, in: array), apply(change, to: value, slot)
    else { return setToMany(slot, to: array.models, inPlace: true) }
    if case .toMany(let changed) = self.value(slot) {
      changed.keep(array, after: change, countBefore: countBefore)
    }
  }

  /// Sets the members to an array that was not borrowed. One with further members at the end of an
  /// array that was returned because the store could not be read adds only these.
  private func takeBackUnlent<V: PersistentModel>(_ slot: Int, _ models: [V]?) {
    guard let models, storage.hasReturnedStandIn(slot), toManyForChange(slot).members == nil
    else { return setToMany(slot, to: models, inPlace: true) }
    let returned = toManyForChange(slot)
    let change = ArrayChange(from: returned.added, to: models)
    guard change.onlyAppends, models.count > returned.added.count else {
      return setToMany(slot, to: models, inPlace: true)
    }
    var additions = _ToManyChange()
    additions.added = change.added.map { ($0, nil) }
    if additions.count == 0 || apply(additions, to: returned, slot) { return }
    // Inserting a new model may have added it.
    let left = ArrayChange(from: toManyForChange(slot).added, to: models)
    if !left.onlyAppends || !left.added.isEmpty { setToMany(slot, to: models, inPlace: true) }
  }

  /// - Returns: Whether the change could be applied member by member.
  private func apply(_ change: _ToManyChange, to value: _ToManyValue, _ slot: Int) -> Bool {
    if let source { return source._changeToMany(storage, slot: slot, by: change) }
    guard change.added.allSatisfy({ $0.model._$storage.source == nil }) else { return false }
    for model in change.removed { _ = value.lose(model) }
    for (model, position) in change.added { value.gain(model, at: position) }
    return true
  }

  // MARK: Related models of either kind

  /// The related models; those that are not in memory are faults or are read.
  func partners(_ slot: Int) -> [any PersistentModel] {
    if descriptor.properties[slot].isToMany {
      let value = loadedToMany(slot)
      return Array(value.members ?? value.added)
    }
    return partner(slot).map { [$0] } ?? []
  }

  /// The related models that a relationship holds in memory; reads nothing.
  func loadedModels(_ slot: Int) -> [any PersistentModel] {
    switch self.value(slot) {
    case .model(let partner): [partner]
    case .toMany(let value): value.members.map { Array($0) } ?? []
    case .unset, .null, .identifier, .weakReferences: []
    }
  }

  /// Whether a relationship retains a model.
  func holds(_ model: any PersistentModel, _ slot: Int) -> Bool {
    switch self.value(slot) {
    case .model(let partner): partner === model
    case .toMany(let value): value.isMember(model)
    case .unset, .null, .identifier, .weakReferences: false
    }
  }

  /// The models that unsaved values of all relationships refer to.
  var unsavedModels: [any PersistentModel] {
    var partners: [any PersistentModel] = []
    for slot in descriptor.relationshipSlots {
      switch self.value(slot) {
      case .model(let partner): partners.append(partner)
      case .toMany(let value): partners += value.added
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
    return partners
  }

  // MARK: Releasing related models

  /// Called after a save stored the values: they hold identifiers from then on, not models, except
  /// for lists to keep.
  func releaseSavedModels(except kept: (_ slot: Int, _ list: _ToManyValue) -> Bool) {
    guard !storage.overlay.isEmpty else { return }
    for slot in descriptor.relationshipSlots {
      switch self.value(slot) {
      case .toMany(let value) where kept(slot, value):
        if !value.isAsStored { overlay(.toMany(_ToManyValue(saved: value)), at: slot) }
      case .toMany(let value):
        overlay(value.orderToSave.map { .toMany(_ToManyValue(order: $0)) } ?? .unset, at: slot)
      case .model(let partner): overlay(.identifier(partner._$storage.identifier), at: slot)
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
  }

  /// Releases the models of a stored model's relationships; they are found again by identifier.
  func releaseModels(except kept: SlotSet = SlotSet()) {
    guard !storage.overlay.isEmpty, !storage.flags.contains(.isInserted) else { return }
    for slot in descriptor.relationshipSlots where !kept.contains(slot) {
      switch self.value(slot) {
      case .toMany: overlay(.unset, at: slot)
      case .model(let partner): overlay(.identifier(partner._$storage.identifier), at: slot)
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
  }

  /// Releases the stored models of one relationship; they are found or read again.
  func releaseModels(_ slot: Int) {
    switch self.value(slot) {
    case .toMany(let value) where value.members != nil: forgetMembers(slot)
    case .model(let partner) where !storage.changedSlots.contains(slot):
      overlay(.identifier(partner._$storage.identifier), at: slot)
    case .model, .toMany, .unset, .null, .identifier, .weakReferences: break
    }
  }

  /// The relationships that are in memory as a row and the store have them.
  /// - Parameters:
  ///   - row: A row of the model.
  ///   - page: The page of a row that has only some of the properties.
  ///   - state: The state of the store in which the row was read.
  func agreeing(
    with row: RowReader, partialPage page: RowPage? = nil, in state: StoreState?
  ) -> SlotSet {
    var slots = SlotSet()
    for slot in descriptor.relationshipSlots {
      switch self.value(slot) {
      case .toMany(let list):
        if let state, list.state == state, list.isAsStored { slots.insert(slot) }
      case .model(let partner):
        let known = partner._$storage
        if page?.fills(slot) ?? true, !row.isNull(slot), !known.flags.contains(.hasNoRow),
          known.knownIdentifier?.rowKey == PackedKey(word: row.integer(slot)).key
        {
          slots.insert(slot)
        }
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
    return slots
  }

  /// Makes references weak to related models that retain this model.
  /// - Parameter isManyToMany: Whether the inverse of a to-many is a to-many too.
  func weaken(isManyToMany: (_ slot: Int) -> Bool) {
    // A stored model doesn't retain this one: its lists are read from the store.
    weaken(toOne: { $0._$storage.knownIdentifier?.isTemporary ?? true }, toMany: isManyToMany)
  }

  /// Releases all related models of a model without a row. A to-one finds a stored model again by its
  /// identifier; other references become weak.
  func releaseAll() {
    weaken(
      toOne: {
        let partner = $0._$storage
        return partner.hasLeftContext || partner.knownIdentifier?.isTemporary ?? true
      }, toMany: { _ in true })
    releaseModels()
  }

  private func weaken(
    toOne isWeak: (_ partner: any PersistentModel) -> Bool, toMany hasWeak: (_ slot: Int) -> Bool
  ) {
    guard !storage.overlay.isEmpty else { return }
    for slot in descriptor.relationshipSlots {
      switch self.value(slot) {
      case .model(let partner):
        guard isWeak(partner) else { continue }
        overlay(.weakReferences(_WeakReferences([partner])), at: slot)
      case .toMany(let value):
        guard hasWeak(slot) else { continue }
        overlay(.weakReferences(_WeakReferences(Array(value.members ?? value.added))), at: slot)
      case .unset, .null, .identifier, .weakReferences: continue
      }
    }
  }

  // MARK: Invariants

  #if OPENSWIFTDATA_INVARIANTS
    /// Called with each value that an overlay takes.
    @usableFromInline
    static func _invariantCheck(
      _ value: _SlotValue, at slot: Int, of descriptor: _ModelDescriptor
    ) {
      let property = descriptor.properties[slot]
      let isSuitable =
        switch value {
        case .unset: true
        case .null: !property.isToMany
        case .model, .identifier: property.isToOne
        case .toMany: property.isToMany
        case .weakReferences: property.isToOne || property.isToMany
        case .integer, .real, .text, .blob, .uuid, .boxed: !property.isToOne && !property.isToMany
        }
      precondition(
        isSuitable, "\(descriptor.entityName).\(property.name) gets the value of another kind.")
    }
  #endif
}
