import OpenSwiftDataRowStorage

/// The states of a model, and every transition between them.
///
/// | state | the model | flags | source |
/// |---|---|---|---|
/// | `transient` | has values, but no context | - | nil |
/// | `inserted` | is new in a context; the next save stores it | `isInserted` | context |
/// | `registered` | shows a row | - | context |
/// | `fault` | has a row that has not been read | `isFault` | context |
/// | `partialFault` | is a fault with some properties in a partial row | `isFault` | context |
/// | `changed` | has unsaved edits; may still be a fault after an upsert | `isChanged` | context |
/// | `deleted` | is deleted by the next save | `isDeleted` | context |
/// | `lost` | no longer has a row; keeps the last known values | `hasNoRow` | context |
/// | `detached` | was deleted permanently | `hasNoRow` | nil |
///
/// | event | from → to | transition, and what else the context does |
/// |---|---|---|
/// | initialiser | → transient | - |
/// | row of a fetch | transient → registered | `becomeRegistered`; identity registry: inserted |
/// | relationship or `model(for:)` | transient → fault | `becomeFault(in:as:)`; identity registry: inserted |
/// | fetch of some properties | transient → partialFault | `becomePartialFault(in:as:)`; identity registry: inserted |
/// | identifier without a row | transient → detached | `withoutRow` |
/// | snapshot for a store of another kind | transient → the same | `becomeExported` |
/// | `insert` | transient, lost, detached → inserted | `becomeInserted`; change tracker: inserted, and no longer changed or deleted |
/// | `insert` of further models | inserted → the same | `packValues`: the values move into a row |
/// | first read, edit or snapshot | fault, partialFault → registered | `beginFilling`, `show` |
/// | the same, store not readable | fault, partialFault → the same | `beginFilling`, `failFilling` |
/// | the same, row does not exist | fault, partialFault → lost | `loseRow` |
/// | edit | registered → changed | `becomeChanged`; change tracker: changed, with the saved values |
/// | undo back to the saved values | changed → registered | `clearPending`; change tracker: removed |
/// | `delete` | inserted → transient | `clearPending`, related models drop the model, `leaveContext`; change tracker: removed |
/// | `delete` | registered, fault, partialFault, changed, lost → deleted | `becomeDeleted`; change tracker: deleted |
/// | `insert` or undo of a deletion | deleted → changed, else registered or fault | `becomeUndeleted`; change tracker: changed if edits are unsaved |
/// | `save` | inserted → registered | `clearPending`, `becomeStored`; identity registry: inserted, or a duplicate |
/// | `save` | changed → registered | `clearPending` |
/// | `save` | deleted → detached | `clearPending`, `becomeDetached`; identity registry: removed |
/// | failed transaction | registered after its first save → transient | `becomeUnsaved`; identity registry: removed |
/// | failed transaction | detached, or transient after an insertion → fault | `becomeRestored`; identity registry: inserted, or a duplicate |
/// | `rollback`, end of the context | inserted → transient | `clearPending`, `leaveContext`; references to related models become weak |
/// | `rollback` | changed, deleted → registered or fault | `clearPending`, saved values restored, `expectRow` if there are none |
/// | new row | registered, fault, partialFault → registered | `refresh` or `show`, observers notified |
/// | new row | changed, deleted → the same | `show` under the unsaved values |
/// | external change, upsert, partial row with other values | registered → fault or partialFault | `becomeFault`, `becomePartialFault` |
/// | external deletion | registered, fault, changed, deleted → lost | `loseRow`, pending flags stay; identity registry: removed, lists drop the model |
/// | batch deletion | registered, fault → detached | `loseRow`, `becomeDetached`; identity registry: removed |
///
/// A lost model that is pending stays so until the next save: unsaved edits of a changed one are
/// discarded, and a deleted one is detached. `ChangeTracker` and `IdentityRegistry` hold what a
/// state means for the context; the flags record it in the model, where each read and edit tests
/// one bit.
///
/// Only the transitions below change a `LifeCycle`: its setters are private to this file. Each one
/// checks that it starts in a state from which it is allowed. The checks are empty unless
/// `OPENSWIFTDATA_INVARIANTS` is defined. A model belongs to one thread, so nothing else guards it.
struct LifeCycle {
  /// The context; nil in the states `transient` and `detached`.
  fileprivate(set) var source: (any _FaultSource)?
  /// The last property, so that a storage can use the bytes after it.
  fileprivate(set) var flags: Flags = []

  static var transient: LifeCycle { LifeCycle(flags: [], source: nil) }

  fileprivate init(flags: Flags, source: (any _FaultSource)?) {
    self.flags = flags
    self.source = source
  }

  struct Flags: OptionSet, Sendable {
    let rawValue: UInt16

    /// Values are being taken from a row; initial values of the declaration are ignored.
    static var isMaterializing: Flags { Flags(rawValue: 1 << 0) }
    static var isInserted: Flags { Flags(rawValue: 1 << 1) }
    static var isChanged: Flags { Flags(rawValue: 1 << 2) }
    static var isDeleted: Flags { Flags(rawValue: 1 << 3) }
    /// In the identity registry of its context under a key that is not an integer.
    static var isRegistered: Flags { Flags(rawValue: 1 << 4) }
    /// The identity from before the first save was used as the hash, which must not change.
    static var hashedWhileTemporary: Flags { Flags(rawValue: 1 << 5) }
    /// The row has not been read yet.
    static var isFault: Flags { Flags(rawValue: 1 << 6) }
    /// Deleted in the store; the values are the last known ones.
    static var hasNoRow: Flags { Flags(rawValue: 1 << 7) }
    /// The columns of a composite value were found not to give back the value.
    static var hasInexactParts: Flags { Flags(rawValue: 1 << 8) }

    static var isPending: Flags { [.isInserted, .isChanged, .isDeleted] }
  }
}

extension LifeCycle {
  /// Some of the states in the table.
  struct States: OptionSet {
    let rawValue: UInt16

    static let transient = States(rawValue: 1 << 0)
    static let inserted = States(rawValue: 1 << 1)
    static let registered = States(rawValue: 1 << 2)
    static let fault = States(rawValue: 1 << 3)
    static let partialFault = States(rawValue: 1 << 4)
    static let changed = States(rawValue: 1 << 5)
    static let deleted = States(rawValue: 1 << 6)
    static let lost = States(rawValue: 1 << 7)
    static let detached = States(rawValue: 1 << 8)

    /// With a row and without unsaved changes.
    static let stored: States = [.registered, .fault, .partialFault]
    /// Without unsaved changes.
    static let settled: States = [.stored, .transient, .lost, .detached]
    /// With a context.
    static let inContext: States = [.stored, .inserted, .changed, .deleted, .lost]
  }
}

extension LifeCycle.States: CustomStringConvertible {
  /// The name of the first state.
  var description: String {
    let names = [
      "transient", "inserted", "registered", "fault", "partialFault", "changed", "deleted", "lost",
      "detached",
    ]
    let index = rawValue.trailingZeroBitCount
    return index < names.count ? names[index] : "none"
  }
}

extension _ModelStorage {
  var flags: LifeCycle.Flags { lifeCycle.flags }

  var source: (any _FaultSource)? { lifeCycle.source }

  /// Whether the model has left its context: deleted by another one, or before its first save.
  var hasLeftContext: Bool { flags.contains(.hasNoRow) || source == nil }

  #if OPENSWIFTDATA_INVARIANTS
    private var state: LifeCycle.States {
      if flags.contains(.hasNoRow) { return source == nil ? .detached : .lost }
      if flags.contains(.isInserted) { return .inserted }
      if flags.contains(.isDeleted) { return .deleted }
      if flags.contains(.isChanged) { return .changed }
      if source == nil { return .transient }
      guard flags.contains(.isFault) else { return .registered }
      return partialRow == nil ? .fault : .partialFault
    }
  #endif

  /// Called at the beginning of a transition.
  private func _invariantCheck(
    startsIn legal: @autoclosure () -> LifeCycle.States, _ transition: StaticString = #function
  ) {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(
        legal().contains(state),
        "A model in the state \(state) has no transition \(transition): \(descriptor.entityName).")
    #endif
  }

  // MARK: New storages

  /// The storage of a model whose row no longer exists.
  static func withoutRow(
    _ identifier: PersistentIdentifier, _ descriptor: _ModelDescriptor
  ) -> _ModelStorage {
    let storage = _ModelStorage(descriptor)
    storage.identify(as: identifier)
    storage.lifeCycle.flags.insert(.hasNoRow)
    return storage
  }

  /// Called before the model's initialiser runs, which ignores initial values of the declaration.
  func beginMaterializing() { lifeCycle.flags.insert(.isMaterializing) }

  func endMaterializing(as model: AnyObject) {
    lifeCycle.flags.remove(.isMaterializing)
    belong(to: model)
  }

  /// A new storage with its row.
  func becomeRegistered(
    in source: any _FaultSource, as identifier: PersistentIdentifier, page: RowPage?,
    row: UnsafeRawPointer?
  ) {
    _invariantCheck(startsIn: .transient)
    rowView.replace(with: row, of: page)
    lifeCycle.source = source
    identify(as: identifier)
  }

  /// A new storage with a row, without a context: values that a store of another kind reads.
  func becomeExported(
    as identifier: PersistentIdentifier, page: RowPage?, row: UnsafeRawPointer?
  ) {
    _invariantCheck(startsIn: .transient)
    rowView.replace(with: row, of: page)
    identify(as: identifier)
  }

  /// A new storage without its row.
  func becomeFault(in source: any _FaultSource, as identifier: PersistentIdentifier) {
    _invariantCheck(startsIn: .transient)
    lifeCycle.flags.insert(.isFault)
    lifeCycle.source = source
    identify(as: identifier)
  }

  /// A new storage with a row of a few properties.
  func becomePartialFault(
    in source: any _FaultSource, as identifier: PersistentIdentifier, page: RowPage,
    row partial: UnsafeRawPointer
  ) {
    becomeFault(in: source, as: identifier)
    rowView.replace(withPartial: partial, of: page)
  }

  /// The model is new in a context. A model that was deleted permanently gets another identifier.
  func becomeInserted(in source: any _FaultSource) {
    _invariantCheck(startsIn: [.transient, .lost, .detached])
    lifeCycle.flags.remove(.hasNoRow)
    lifeCycle.flags.insert(.isInserted)
    lifeCycle.source = source
    overlay.markAllChanged()
    if let known = knownIdentifier, !known.isTemporary { forgetIdentifier() }
    knownIdentifier?.temporaryScope?.begin(self, in: source)
  }

  // MARK: Pending changes

  /// An edited model is still a fault if its store could not be read. A model whose class the schema
  /// lacks has no context; the next save throws.
  func becomeChanged() {
    _invariantCheck(startsIn: [.stored, .transient])
    lifeCycle.flags.insert(.isChanged)
  }

  func becomeDeleted() {
    _invariantCheck(startsIn: [.stored, .changed, .lost])
    lifeCycle.flags.remove(.isChanged)
    lifeCycle.flags.insert(.isDeleted)
  }

  /// - Returns: Whether edits from before or during the deletion are pending again.
  func becomeUndeleted() -> Bool {
    _invariantCheck(startsIn: [.deleted, .lost])
    lifeCycle.flags.remove(.isDeleted)
    if changedSlots.isEmpty { return false }
    lifeCycle.flags.insert(.isChanged)
    return true
  }

  /// The model is no longer pending: stored, discarded, or back at the values of the last save.
  func clearPending() {
    _invariantCheck(startsIn: [.inserted, .changed, .deleted, .lost, .detached])
    lifeCycle.flags.subtract(.isPending)
  }

  /// The store has given a new model its identifier.
  func becomeStored(as permanent: PersistentIdentifier) {
    _invariantCheck(startsIn: [.stored, .inserted])
    knownIdentifier?.temporaryScope?.end(permanent: permanent)
    identify(as: permanent)
  }

  /// The overlay was stored, or the row was deleted.
  /// - Parameter kept: Whether a list that the store has keeps its members in memory.
  func acceptChanges(
    keepingLists kept: (_ slot: Int, _ list: _ToManyValue) -> Bool = { _, _ in false }
  ) {
    overlay.forgetChanges()
    relationships.releaseSavedModels(except: kept)
  }

  /// A new model leaves its context; no save will store it.
  func leaveContext() {
    _invariantCheck(startsIn: [.stored, .inserted, .lost])
    knownIdentifier?.temporaryScope?.end(permanent: nil)
    lifeCycle.source = nil
    overlay.forgetChanges()
  }

  // MARK: Rows

  /// The row is about to be read; reads of the model meanwhile use the known values.
  func beginFilling() {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(flags.contains(.isFault), "A row that is in memory is read again.")
    #endif
    lifeCycle.flags.remove(.isFault)
  }

  /// The store could not be read, so the next read tries again.
  func failFilling() {
    _invariantCheck(startsIn: .inContext)
    lifeCycle.flags.insert(.isFault)
  }

  /// Takes a row under the changed or decoded values.
  func show(page: RowPage?, row: UnsafeRawPointer?) {
    _invariantCheck(startsIn: .inContext)
    rowView.replace(with: row, of: page)
    forgetUnsuitable()
    lifeCycle.flags.remove(.isFault)
  }

  /// Takes a row in place of all known values that have a place in it.
  /// - Parameter kept: Relationships that the row and the store still have.
  func refresh(page: RowPage?, row: UnsafeRawPointer?, keeping kept: SlotSet = SlotSet()) {
    _invariantCheck(startsIn: [.stored, .lost])
    rowView.replace(with: row, of: page)
    forgetUnsuitable()
    lifeCycle.flags.remove(.isFault)
    var kept = kept
    kept.formUnion(descriptor.ephemeralSlots)
    overlay.clear(keeping: kept)
  }

  /// Drops the row and what was decoded from it; the next read gets a new one. Ephemeral values stay, because no row
  /// has them.
  func becomeFault() {
    _invariantCheck(startsIn: [.stored, .lost])
    rowView.clear()
    forgetUnsuitable()
    overlay.clear(keeping: descriptor.ephemeralSlots)
    lifeCycle.flags.insert(.isFault)
  }

  /// Becomes a fault and notifies the observers of every property.
  func refault() {
    notifyingObserversOfAll { becomeFault() }
  }

  /// Replaces all values by a row of a few properties; the others are faults from then on.
  func becomePartialFault(page: RowPage, row partial: UnsafeRawPointer) {
    becomeFault()
    rowView.replace(withPartial: partial, of: page)
  }

  /// There is a row to read, under the known values.
  func expectRow() {
    _invariantCheck(startsIn: .settled)
    lifeCycle.flags.insert(.isFault)
  }

  /// Drops values that a save stored outside the row; the next read gets the row with their names.
  func forgetStored(_ slots: SlotSet) {
    _invariantCheck(startsIn: [.stored, .lost])
    for slot in descriptor.externalSlots where slots.contains(slot) { overlay(.unset, at: slot) }
    expectOtherRow()
  }

  /// The row in memory is not the stored one. The known values stay.
  private func expectOtherRow() {
    rowView.clear()
    forgetUnsuitable()
    lifeCycle.flags.insert(.isFault)
  }

  /// A save may write a composite value that its columns do not give back.
  func noteInexactParts() { lifeCycle.flags.insert(.hasInexactParts) }

  /// Drops values that read differently from what a save has stored: NaN in an optional, URLs with a base, and parts of
  /// composites that are stored as null. The next read gets the row.
  func forgetInexact() {
    let hasInexactParts = flags.contains(.hasInexactParts)
    if descriptor.inexactSlots.isEmpty, !hasInexactParts { return }
    lifeCycle.flags.remove(.hasInexactParts)
    // The last values of a model without a row stay.
    if overlay.isEmpty || source == nil || flags.contains(.hasNoRow) { return }
    _invariantCheck(startsIn: .stored)
    var found = SlotSet()
    func look(at slots: [Int]) {
      for slot in slots
      where readsDifferently(overlaid(slot), descriptor.properties[slot].form) {
        found.insert(slot)
      }
    }
    look(at: descriptor.inexactSlots)
    if hasInexactParts { look(at: descriptor.slotsToConvert) }
    if found.isEmpty { return }
    notifyingObservers(of: found) {
      overlay.clear(found)
      expectOtherRow()
    }
  }

  private func readsDifferently(_ value: _SlotValue, _ form: PropertyForm) -> Bool {
    switch (value, form) {
    case (.real(let number), _): number.isNaN
    case (.boxed(let box), .attribute(.scalar)): box.value(as: URL.self)?.baseURL != nil
    case (.boxed, .attribute(.composite)): true
    default: false
    }
  }

  /// Keeps values outside the row readable as long as the row is shown, though a save is about to
  /// delete them.
  func keepExternalValues() {
    // What is known of a fault will be completed by a read, and then shows the files of the row.
    if flags.contains(.isFault), !overlay.isEmpty || partialRow != nil { source?._fill(self) }
    rowView.keepExternalValues(descriptor)
  }

  // MARK: Rows that no longer exist

  /// The row no longer exists in the store, without a save of this context.
  func loseRow() {
    _invariantCheck(startsIn: .inContext)
    noteMissingRow()
  }

  /// The row no longer exists, and the model leaves the context. Another instance of the row may
  /// have detached it already.
  func becomeDetached() {
    _invariantCheck(startsIn: [.stored, .changed, .deleted, .lost, .detached])
    noteMissingRow()
    lifeCycle.source = nil
  }

  private func noteMissingRow() {
    lifeCycle.flags.remove(.isFault)
    lifeCycle.flags.insert(.hasNoRow)
  }

  // MARK: Failed transactions

  /// The first save of the model was undone.
  /// - Parameters:
  ///   - identifier: The earlier identifier; copies of it no longer lead to a row.
  ///   - page: The page of `row`.
  ///   - row: The row from before the save, if the values were in one.
  ///   - values: The values over the row from before the save.
  ///   - hadLostRow: Whether the model only showed the saved row, in place of its deleted one.
  func becomeUnsaved(
    as identifier: PersistentIdentifier?, page: RowPage?, row: UnsafeRawPointer?,
    with values: ContiguousArray<_SlotValue>?, hadLostRow: Bool
  ) {
    _invariantCheck(startsIn: .settled)
    rowView.replace(with: row, of: page)
    overlay.exchange(values)
    overlay.forgetChanges()
    lifeCycle.flags.subtract([.isFault, .hasNoRow])
    if hadLostRow { lifeCycle.flags.insert(.hasNoRow) }
    lifeCycle.source = nil
    identifier?.temporaryScope?.removePermanentIdentifier()
    if let identifier { identify(as: identifier) } else { forgetIdentifier() }
  }

  /// The deletion of the model's row was undone; also an insertion after it, which gave the model another
  /// identifier.
  func becomeRestored(in source: any _FaultSource, as identifier: PersistentIdentifier) {
    _invariantCheck(startsIn: [.transient, .detached])
    rowView.clear()
    overlay.clear(keeping: descriptor.ephemeralSlots)
    identify(as: identifier)
    overlay.forgetChanges()
    lifeCycle.flags.remove(.hasNoRow)
    lifeCycle.flags.insert(.isFault)
    lifeCycle.source = source
  }

  // MARK: Other flags

  func noteRegistered(_ isRegistered: Bool) {
    if isRegistered {
      lifeCycle.flags.insert(.isRegistered)
    } else {
      lifeCycle.flags.remove(.isRegistered)
    }
  }

  func noteHashedWhileTemporary() { lifeCycle.flags.insert(.hashedWhileTemporary) }
}
