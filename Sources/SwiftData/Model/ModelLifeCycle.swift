import OpenSwiftDataRowStorage

/// Where a model is in its life, and every way from one state to another.
///
/// | state | the model | flags | source |
/// |---|---|---|---|
/// | `transient` | has values, and no context | - | nil |
/// | `inserted` | is new in a context; the next save stores it | `isInserted` | context |
/// | `registered` | shows a row | - | context |
/// | `fault` | has a row that has not been read | `isFault` | context |
/// | `partialFault` | a fault with some properties in a partial row | `isFault` | context |
/// | `changed` | has unsaved edits; may still be a fault after an upsert | `isChanged` | context |
/// | `deleted` | is deleted by the next save | `isDeleted` | context |
/// | `lost` | has no row any more, and the last values known | `isGone` | context |
/// | `detached` | was deleted for good | `isGone` | nil |
///
/// | event | from → to | transition, and what the context does besides |
/// |---|---|---|
/// | initialiser | → transient | - |
/// | row of a fetch | → registered | `becomeRegistered`; identity registry: inserted |
/// | relationship or `model(for:)` | → fault | `becomeFault(in:as:)`; identity registry: inserted |
/// | fetch of some properties | → partialFault | `becomeFault(in:as:)`; identity registry: inserted |
/// | `insert` | transient, lost, detached → inserted | `becomeInserted`; change tracker: inserted, and no longer changed or deleted |
/// | first read, edit or snapshot | fault, partialFault → registered | `beginFilling`, `show` |
/// | the same, store unreadable | fault, partialFault → the same | `beginFilling`, `failFilling` |
/// | the same, no such row | fault, partialFault → lost | `becomeLost` |
/// | edit | registered → changed | `becomeChanged`; change tracker: changed, with the saved values |
/// | undo back to the saved values | changed → registered | `becomeSettled`; change tracker: removed |
/// | `delete` | inserted → transient | `becomeSettled`, partners forget the model, `leaveContext`; change tracker: removed |
/// | `delete` | registered, fault, partialFault, changed, lost → deleted | `becomeDeleted`; change tracker: deleted |
/// | `insert` or undo of a deletion | deleted → changed, else registered or fault | `becomeUndeleted`; change tracker: changed where edits are unsaved |
/// | `save` | inserted → registered | `becomeSettled`, `becomeStored`; identity registry: inserted, or a duplicate |
/// | `save` | changed → registered | `becomeSettled` |
/// | `save` | deleted → detached | `becomeSettled`, `becomeDetached`; identity registry: removed |
/// | end of a transaction that fails | registered after its first save → transient | `becomeUnsaved`; identity registry: removed |
/// | end of a transaction that fails | detached → fault | `becomeRestored`; identity registry: inserted |
/// | `rollback`, end of the context | inserted → transient | `becomeSettled`, `leaveContext`; partners are named weakly |
/// | `rollback` | changed, deleted → registered or fault | `becomeSettled`, saved values restored, `expectRow` where there are none |
/// | fresh row | registered, fault, partialFault → registered | `refresh` or `show`, observers notified |
/// | fresh row | changed, deleted → the same | `show` under the unsaved values |
/// | external change, upsert, partial row that differs | registered → fault or partialFault | `becomeFault`, `becomePartialFault` |
/// | external deletion | registered, fault, changed, deleted → lost | `becomeLost`, pending flags stay; identity registry: removed, lists drop the model |
/// | batch deletion | registered, fault → detached | `becomeLost`, `becomeDetached`; identity registry: removed |
///
/// A lost model that is pending stays so: a save throws for a changed one, and a deleted one is
/// detached. `ChangeTracker` and `IdentityRegistry` hold what a state means for the context; the
/// flags say it on the model, where each read and edit tests one bit.
///
/// Only the transitions below write what a `LifeCycle` holds: its setters are private to this file.
/// A model belongs to one thread, so nothing else guards it.
@usableFromInline
struct LifeCycle {
  /// The context; nil in the states `transient` and `detached`.
  @usableFromInline fileprivate(set) var source: (any _FaultSource)?
  /// The last property, so that a storage can use the bytes behind it.
  @usableFromInline fileprivate(set) var flags: Flags = []

  static var transient: LifeCycle { LifeCycle(flags: [], source: nil) }

  fileprivate init(flags: Flags, source: (any _FaultSource)?) {
    self.flags = flags
    self.source = source
  }

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Values are being taken from a row; initial values of the declaration don't count.
    @inlinable static var isMaterializing: Flags { Flags(rawValue: 1 << 0) }
    static var isInserted: Flags { Flags(rawValue: 1 << 1) }
    static var isChanged: Flags { Flags(rawValue: 1 << 2) }
    static var isDeleted: Flags { Flags(rawValue: 1 << 3) }
    /// In the identity registry of its context under a key that is no integer.
    static var isRegistered: Flags { Flags(rawValue: 1 << 4) }
    /// The identity before the first save was used as hash, and stays it.
    static var hashedWhileTemporary: Flags { Flags(rawValue: 1 << 5) }
    /// The row has not been read yet.
    @inlinable static var isFault: Flags { Flags(rawValue: 1 << 6) }
    /// Deleted in the store; the values are the last ones known.
    static var isGone: Flags { Flags(rawValue: 1 << 7) }

    static var isPending: Flags { [.isInserted, .isChanged, .isDeleted] }
  }
}

extension _ModelStorage {
  @inlinable var flags: LifeCycle.Flags { lifeCycle.flags }

  @inlinable var source: (any _FaultSource)? { lifeCycle.source }

  // MARK: From nothing

  /// While its initialiser runs, the model takes no initial values of its declaration.
  func beginMaterializing() { lifeCycle.flags.insert(.isMaterializing) }

  func endMaterializing(as model: AnyObject) {
    lifeCycle.flags.remove(.isMaterializing)
    belong(to: model)
  }

  /// A new storage that has its row.
  func becomeRegistered(in source: any _FaultSource, as identifier: PersistentIdentifier) {
    lifeCycle.source = source
    knownIdentifier = identifier
  }

  /// A new storage without its row, or with a partial one.
  func becomeFault(in source: any _FaultSource, as identifier: PersistentIdentifier) {
    lifeCycle.flags.insert(.isFault)
    lifeCycle.source = source
    knownIdentifier = identifier
  }

  /// New in a context. A model that was deleted for good gets another identifier.
  func becomeInserted(in source: any _FaultSource) {
    lifeCycle.flags.remove(.isGone)
    lifeCycle.flags.insert(.isInserted)
    lifeCycle.source = source
    changedSlots = .all
    if let known = knownIdentifier, !known.isTemporary { knownIdentifier = nil }
    knownIdentifier?.temporaryScope?.begin(self, in: source)
  }

  // MARK: Pending changes

  func becomeChanged() { lifeCycle.flags.insert(.isChanged) }

  func becomeDeleted() {
    lifeCycle.flags.remove(.isChanged)
    lifeCycle.flags.insert(.isDeleted)
  }

  /// - Returns: Whether edits from before the deletion, or during it, are pending again.
  func becomeUndeleted() -> Bool {
    lifeCycle.flags.remove(.isDeleted)
    if changedSlots.isEmpty { return false }
    lifeCycle.flags.insert(.isChanged)
    return true
  }

  /// No longer pending: stored, discarded, or back at the values of the last save.
  func becomeSettled() { lifeCycle.flags.subtract(.isPending) }

  /// The store has given a new model its identifier.
  func becomeStored(as permanent: PersistentIdentifier) {
    knownIdentifier?.temporaryScope?.end(permanent: permanent)
    knownIdentifier = permanent
  }

  /// A new model that no save will store.
  func leaveContext() {
    knownIdentifier?.temporaryScope?.end(permanent: nil)
    lifeCycle.source = nil
    changedSlots = SlotSet()
  }

  // MARK: Rows

  /// The row is being read; what is read of the model meanwhile comes from what is known.
  func beginFilling() { lifeCycle.flags.remove(.isFault) }

  /// The store could not be read, so the next read asks again.
  func failFilling() { lifeCycle.flags.insert(.isFault) }

  /// Takes a row under what was changed or decoded.
  func show(page: RowPage?, row: UnsafeRawPointer?) {
    self.page = page
    self.row = row
    partialRow = nil
    lifeCycle.flags.remove(.isFault)
  }

  /// Takes a row in place of all that is known.
  func refresh(page: RowPage?, row: UnsafeRawPointer?) {
    show(page: page, row: row)
    overlay = nil
  }

  /// Forgets the row and what was decoded from it; the next read brings a fresh one.
  func becomeFault() {
    refresh(page: nil, row: nil)
    lifeCycle.flags.insert(.isFault)
  }

  /// Replaces what is known by a row of a few properties; the others are faults from here on.
  func becomePartialFault(page: RowPage, row partial: UnsafeRawPointer) {
    becomeFault()
    self.page = page
    partialRow = partial
  }

  /// There is a row to read, under the values that are known.
  func expectRow() { lifeCycle.flags.insert(.isFault) }

  // MARK: To nothing

  /// The row is gone from the store without a save of this context.
  func becomeLost() {
    lifeCycle.flags.remove(.isFault)
    lifeCycle.flags.insert(.isGone)
  }

  /// The row is gone, and the context has nothing to do with the model any more.
  func becomeDetached() {
    becomeLost()
    lifeCycle.source = nil
  }

  // MARK: Back from a transaction that failed

  /// The first save of the model was undone.
  /// - Parameter identifier: The one it had before; copies of it lead to no row any more.
  func becomeUnsaved(as identifier: PersistentIdentifier?) {
    refresh(page: nil, row: nil)
    lifeCycle.flags.remove(.isGone)
    lifeCycle.source = nil
    changedSlots = SlotSet()
    identifier?.temporaryScope?.revokePermanent()
    knownIdentifier = identifier
  }

  /// The deletion of the model's row was undone.
  func becomeRestored(in source: any _FaultSource) {
    lifeCycle.flags.remove(.isGone)
    lifeCycle.source = source
    changedSlots = SlotSet()
    becomeFault()
  }

  // MARK: Beside the states

  func noteRegistered(_ isRegistered: Bool) {
    if isRegistered {
      lifeCycle.flags.insert(.isRegistered)
    } else {
      lifeCycle.flags.remove(.isRegistered)
    }
  }

  func noteHashedWhileTemporary() { lifeCycle.flags.insert(.hashedWhileTemporary) }
}
