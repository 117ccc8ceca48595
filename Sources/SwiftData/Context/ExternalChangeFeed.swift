/// What the other contexts of a container save, as seen by one context.
///
/// It is created with its context and reads the `ChangeLog` until `stop()`. It also knows which
/// unsaved edits conflict with what other contexts saved (`conflictingSlots`); a save or a rollback
/// of the context clears these, as does the end of the edits.
///
/// `log` and `arrivals` guard themselves; everything else is used on the thread of the context only.
final class ExternalChangeFeed {
  /// What happens if another context has changed what is edited here.
  var conflictPolicy = ModelContext.ConflictPolicy.laterSaveWins
  /// Fired on other threads when there are changes to take.
  let arrivals = Signals()
  /// The listener of the context itself.
  private var ownArrival: Signals.Registration?
  private let log: ChangeLog
  private let reader = ChangeLog.Reader()
  private var seenVersion: Int
  /// Whether the context is alive; models that outlive it get no external changes.
  private(set) var isOpen = true
  /// Changes that were taken but could not be applied, because a store could not be read, and changes
  /// that a refused save has found.
  private var unapplied: SavedChanges?
  /// Properties with unsaved changes for which another context has stored another value since.
  private(set) var conflictingSlots: [PersistentIdentifier: SlotSet] = [:]
  /// All properties that another writer has stored since this context read them: of pending models, and of
  /// models whose whole row was read after some of its properties and not again.
  private(set) var externalChanges: [PersistentIdentifier: ExternalChange] = [:]

  init(_ log: ChangeLog) {
    self.log = log
    seenVersion = log.currentVersion
    log.open(reader) { [arrivals] in arrivals.fire() }
  }

  /// - Parameter listener: Called on other threads when there are changes to take, as long as the
  ///   feed exists.
  func onArrival(_ listener: @escaping @Sendable () -> Void) { ownArrival = arrivals.add(listener) }

  func stop() {
    isOpen = false
    log.close(reader)
  }

  /// Whether there may be something to take.
  var hasArrivals: Bool { log.currentVersion != seenVersion || unapplied != nil }

  /// What other contexts saved since the last call, and what was put back; nil if that is nothing.
  ///
  /// `areNew` tells whether there is more than what was put back.
  func take() -> (changes: SavedChanges, areNew: Bool)? {
    guard isOpen, hasArrivals else { return nil }
    seenVersion = log.currentVersion
    var changes = log.take(for: reader)
    let areNew = !changes.isEmpty
    if let unapplied { changes.append(unapplied) }
    unapplied = nil
    return changes.isEmpty ? nil : (changes, areNew)
  }

  /// Whether taken changes could not be applied.
  var hasUnappliedChanges: Bool { unapplied != nil }

  /// Keeps changes that are still to be applied for the next `take()`.
  func putBack(_ changes: SavedChanges) {
    if unapplied == nil { unapplied = changes } else { unapplied?.append(changes) }
  }

  func recordConflict(_ identifier: PersistentIdentifier, _ slots: SlotSet) {
    if !slots.isEmpty { conflictingSlots[identifier, default: SlotSet()].formUnion(slots) }
  }

  /// - Parameter read: The values that the context has read, before the model gets another row.
  func recordExternalChange(
    _ identifier: PersistentIdentifier, _ slots: SlotSet, read: DefaultSnapshot
  ) {
    if !slots.isEmpty {
      externalChanges[identifier, default: ExternalChange()].add(slots, read: read)
    }
  }

  /// A model without unsaved changes shows what others have stored: later edits are made on it.
  func forgetExternalChange(_ identifier: PersistentIdentifier, _ slots: SlotSet) {
    guard var change = externalChanges[identifier] else { return }
    change.forget(slots)
    externalChanges[identifier] = change.slots.isEmpty ? nil : change
  }

  /// The row has no unsaved changes any more: the next ones are made on what others have stored.
  func clearConflicts(of identifier: PersistentIdentifier) {
    if !conflictingSlots.isEmpty { conflictingSlots[identifier] = nil }
    if !externalChanges.isEmpty { externalChanges[identifier] = nil }
  }

  func clearConflicts() {
    conflictingSlots = [:]
    externalChanges = [:]
  }

  /// Whether another context has announced a save that is not known to be complete. For a caller
  /// that holds the write lock of the store, such a save is committed.
  var hasAnnouncedSaves: Bool { log.hasAnnouncements(besides: reader) }

  // MARK: Saving

  /// Whether other contexts read the log, so that saves have to be announced.
  var hasReaders: Bool { log.hasOthers(than: reader) }

  /// Announces a save whose statements have run, while the store is still locked for other writers.
  ///
  /// What other contexts saved after this context last took changes becomes contested too.
  func announce(_ changes: SavedChanges) -> Int {
    let (serial, unseen) = log.announce(changes, by: reader)
    if !unseen.updated.isEmpty {
      var theirs: [PersistentIdentifier: SlotSet] = [:]
      for (identifier, slots) in unseen.updated {
        theirs[identifier, default: SlotSet()].formUnion(slots)
      }
      for (identifier, slots) in changes.updated {
        guard let other = theirs[identifier] else { continue }
        recordConflict(identifier, slots.intersection(other))
      }
      for identifier in changes.deleted {
        if let other = theirs[identifier] { recordConflict(identifier, other) }
      }
    }
    return serial
  }

  func complete(_ serial: Int, with changes: SavedChanges) {
    log.complete(serial, with: changes)
  }

  func withdraw(_ serial: Int) { log.withdraw(serial) }

  func add(_ changes: SavedChanges) { log.add(changes, by: reader) }
}

/// The properties of a row that another writer has stored since this context read them. The stored values
/// may be equal: a writer may have set the same value, or a later one the earlier value.
struct ExternalChange {
  private(set) var slots = SlotSet()
  /// The values that the context had read, for the properties that were found together.
  private var reads: [(slots: SlotSet, values: DefaultSnapshot)] = []

  /// The first values of a property count: those that the context had read before any other writer.
  mutating func add(_ new: SlotSet, read: DefaultSnapshot) {
    let unknown = new.subtracting(slots)
    if unknown.isEmpty { return }
    slots.formUnion(unknown)
    reads.append((unknown, read))
  }

  mutating func forget(_ forgotten: SlotSet) {
    slots = slots.subtracting(forgotten)
    for index in reads.indices { reads[index].slots = reads[index].slots.subtracting(forgotten) }
    reads.removeAll { $0.slots.isEmpty }
  }

  /// The values of a row with the value of a property that the context had read; nil if no other
  /// writer has stored the property.
  func read(_ slot: Int) -> DefaultSnapshot? {
    reads.first { $0.slots.contains(slot) }?.values
  }
}
