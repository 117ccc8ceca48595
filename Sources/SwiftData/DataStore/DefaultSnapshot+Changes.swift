/// What a save has to write. Not in Apple's framework.
extension DefaultSnapshot {
  /// The names of the properties that the context has changed; all properties of a new model.
  ///
  /// The other values of an updated snapshot are those that the context read, perhaps long ago. A
  /// store that others write to stores the changed ones only, so that it keeps what they wrote.
  public var changedProperties: Set<String> {
    Set(
      descriptor.properties.enumerated().lazy.filter { changedSlots.contains($0.offset) }
        .map(\.element.name))
  }

  /// The members that a context has added to a to-many relationship of a stored model, and those
  /// that it has removed.
  ///
  /// - Parameter relationship: The name of the property.
  /// - Returns: `nil` for other properties, and for lists that the context has not changed.
  public func changedMembers(
    of relationship: String
  ) -> (added: [PersistentIdentifier], removed: [PersistentIdentifier])? {
    guard let slot = descriptor.slot(named: relationship), changedSlots.contains(slot),
      let list = toMany(slot)
    else { return nil }
    return (list.added, list.removed)
  }

  /// The slots whose stored values a save changes, with the to-one relationships that were emptied because
  /// their model was set elsewhere or deleted.
  var releasedSlots: SlotSet {
    var slots = changedSlots
    for slot in displacedLinks.keys { slots.insert(slot) }
    return slots
  }

  /// The model to which a changed to-one relationship led, if it was emptied because that model was set
  /// elsewhere or deleted.
  package func displacedLink(of relationship: String) -> PersistentIdentifier? {
    displacedLinks.isEmpty
      ? nil : descriptor.slot(named: relationship).flatMap { displacedLinks[$0] }
  }

  /// Whether a context has changed a to-one relationship of a stored model to nil. A snapshot of another
  /// source names all properties as changed, and does not tell.
  package func isEmptied(_ relationship: String) -> Bool {
    guard changedSlots != .all, let slot = descriptor.slot(named: relationship),
      changedSlots.contains(slot), case .null = value(slot)
    else { return false }
    return true
  }
}
