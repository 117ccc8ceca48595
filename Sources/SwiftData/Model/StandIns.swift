/// The slots of a model that returned a stand-in for a stored value, and the edits that may be made
/// from one. A save must not replace the stored value by such an edit.
///
/// If the store could not be read:
/// 1. A getter that can't read the store returns a stand-in and notes the slot (`didReturn`).
/// 2. The next read of the slot forgets that, and notes it again if it fails too (`willRead`).
/// 3. `x.count += 1` sets what it has read, and so may any other setter. An edit after a stand-in was
///    returned is therefore *derived* from it; `UnreadableValues` makes the save throw.
/// 4. A derived value that is read is a stand-in again. If it is set without a read, or without one since the
///    save was refused, the edit is no longer derived.
///
/// A value that does not fit its property can be read as a stand-in only, so setting the property is
/// how it is replaced. But setting nil after nil was read changes nothing: `x.place?.name = ""` sets nil if
/// it has read nil. And a value that is edited in parts, such as a list, a dictionary or a structure, is
/// replaced only if it was not read before: `x.tags.insert("a")` sets what it has read, and so may any other
/// setter. Such an edit is derived, unless it is nil. An undo or a redo brings a derived value back as such.
///
/// A slot is derived only while it differs from the store. Only a model with a failed read has an
/// instance, beside its observers: the accessors of all other models make no further test.
final class StandIns {
  /// Slots whose last read returned a stand-in that no edit may be made from.
  private var returned = SlotSet()
  /// Slots whose last read returned a stand-in, because the stored value does not fit.
  private var unsuitable = SlotSet()
  /// Those of them whose values have parts that can be edited. Another row does not change what was read.
  private var undecoded = SlotSet()
  private var derived = SlotSet()
  /// The derived slots before the one that is being set; `nil` at other times.
  private var derivedBefore: SlotSet?

  /// - Parameter hasParts: Whether an edit of the property may change a part of its value.
  func didReturn(_ slot: Int, _ reason: UnreadableValue.Reason, hasParts: Bool) {
    if reason == .unreadableStore { return returned.insert(slot) }
    unsuitable.insert(slot)
    if hasParts, reason == .unsuitableValue || reason == .missingFile { undecoded.insert(slot) }
  }

  func willRead(_ slot: Int, changed: SlotSet) {
    forget(slot)
    if derived(changed).contains(slot) { returned.insert(slot) }
  }

  /// The unsaved values of all other slots were taken back.
  func keepDerived(_ changed: SlotSet) { derived = derived(changed) }

  /// Whether the last read of a slot returned a stand-in.
  func hasReturned(_ slot: Int) -> Bool { returned.contains(slot) }

  func willSet(_ slot: Int, isNull: Bool) {
    if isNull { undecoded.remove(slot) }
    derivedBefore = derived
    setDerived(slot, returned.contains(slot) || undecoded.contains(slot))
  }

  func setDerived(_ slot: Int, _ isDerived: Bool) {
    if isDerived { derived.insert(slot) } else { derived.remove(slot) }
  }

  /// Whether the unsaved value of a slot is derived; for one that is being set, the value before.
  func isDerived(_ slot: Int, _ changed: SlotSet) -> Bool {
    changed.contains(slot) && (derivedBefore ?? derived).contains(slot)
  }

  /// A list is about to be set to one that was changed in place.
  func willSetInPlace(_ slot: Int) {
    if unsuitable.contains(slot) { returned.insert(slot) }
  }

  /// Whether setting nil is to change nothing. Setting it once more, without a read, does.
  func ignoresNil(_ slot: Int) -> Bool {
    guard unsuitable.contains(slot) else { return false }
    forget(slot)
    return true
  }

  /// Setting a relationship reads it, which may have noted the slot.
  func didSet(_ slot: Int) {
    forget(slot)
    derivedBefore = nil
  }

  /// The row was replaced: what was read of the last one says nothing about it.
  func forgetUnsuitable() { unsuitable = SlotSet() }

  /// Setting nil will change the value.
  func allowNil(_ slot: Int) {
    unsuitable.remove(slot)
    undecoded.remove(slot)
  }

  private func forget(_ slot: Int) {
    returned.remove(slot)
    unsuitable.remove(slot)
    undecoded.remove(slot)
  }

  /// A list was set, but the members that it replaces could not be read.
  func didSetUnread(_ slot: Int) { derived.insert(slot) }

  /// Called when a save was refused because of derived values: a value that is set without another read is
  /// not derived.
  func forgetReadsOfDerivedValues() {
    returned = returned.subtracting(derived)
    undecoded = undecoded.subtracting(derived)
  }

  /// - Parameter changed: The slots of the model that differ from the store.
  func derived(_ changed: SlotSet) -> SlotSet { derived.intersection(changed) }
}

extension _ModelStorage {
  private var standIns: StandIns? { observers?.standIns }

  /// Called when a property reads as nil or a stand-in.
  func didReturnStandIn(_ slot: Int, _ reason: UnreadableValue.Reason) {
    guard reason.isOfStoredValue else { return }
    let observers = observers ?? Observers()
    self.observers = observers
    let standIns = observers.standIns ?? StandIns()
    observers.standIns = standIns
    standIns.didReturn(slot, reason, hasParts: descriptor.properties[slot].form.hasParts)
  }

  /// Whether the last read of a property returned a stand-in that no edit may be made from.
  func hasReturnedStandIn(_ slot: Int) -> Bool { standIns?.hasReturned(slot) ?? false }

  /// Called before an accessor reads a property.
  func willRead(_ slot: Int) { standIns?.willRead(slot, changed: changedSlots) }

  /// Called before and after a setter sets a property.
  func willSet(_ slot: Int, isNull: Bool = false) { standIns?.willSet(slot, isNull: isNull) }

  func didSet(_ slot: Int) { standIns?.didSet(slot) }

  /// Whether the unsaved value of a property may be made from a stand-in.
  func isDerived(_ slot: Int) -> Bool { standIns?.isDerived(slot, changedSlots) ?? false }

  /// Called before an undo or a redo sets a property.
  /// - Parameter isDerived: Whether `isDerived` was true of the value.
  func willRestore(_ slot: Int, isDerived: Bool) { standIns?.setDerived(slot, isDerived) }

  /// Called before an accessor sets a list that it has changed in place.
  func willSetInPlace(_ slot: Int) { standIns?.willSetInPlace(slot) }

  /// Called before nil is set by another way than the setter.
  func allowNil(_ slot: Int) { standIns?.allowNil(slot) }

  /// Whether setting a value is to change nothing. An unsaved value is no stand-in.
  func ignores(_ value: borrowing _SlotValue, at slot: Int) -> Bool {
    guard value.isNull, case .unset = overlaid(slot) else { return false }
    return standIns?.ignoresNil(slot) ?? false
  }

  /// Called when the row is replaced or dropped.
  func forgetUnsuitable() { standIns?.forgetUnsuitable() }

  /// Called when a list was set whose members can't be read.
  func didSetUnread(_ slot: Int) { standIns?.didSetUnread(slot) }

  /// Called when a rollback or an undo has taken back edits.
  func forgetUndoneEdits() { standIns?.keepDerived(changedSlots) }

  func forgetReadsOfDerivedValues() { standIns?.forgetReadsOfDerivedValues() }

  /// The properties whose unsaved values may be made from stand-ins.
  var derivedProperties: [String] {
    guard let derived = standIns?.derived(changedSlots), !derived.isEmpty else { return [] }
    return descriptor.properties.indices.filter(derived.contains).map {
      descriptor.properties[$0].name
    }
  }
}
