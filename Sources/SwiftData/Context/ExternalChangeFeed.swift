/// One context's view of what the other contexts of its container save.
///
/// It lives as long as its context: made with it, it reads the `ChangeLog` from then on, until
/// `stop()`. Besides, it knows which unsaved edits are in conflict with what others saved
/// (`contested`); a save or a rollback of the context empties that.
///
/// `log` is shared and guards itself; everything else is used on the thread of the context only.
final class ExternalChangeFeed {
  private let log: ChangeLog
  private let reader = ChangeLog.Reader()
  private var seenVersion: Int
  /// What was taken and could not be applied, because a store could not be read.
  private var unapplied: SavedChanges?
  /// Properties with unsaved changes that another context has stored differently since.
  private(set) var contested: [PersistentIdentifier: SlotSet] = [:]
  /// All properties of pending models that another context has stored differently since.
  private(set) var changedUnderEdits: [PersistentIdentifier: SlotSet] = [:]

  init(_ log: ChangeLog) {
    self.log = log
    seenVersion = log.currentVersion
    log.open(reader)
  }

  /// - Parameter notify: Called from other threads after a save of another context.
  func start(notifying notify: @escaping @Sendable () -> Void) {
    ownNotification = notify
    log.open(reader, notify: notification)
  }

  private var ownNotification: (@Sendable () -> Void)?

  /// What live queries of the context want to be called.
  var followerNotification: (@Sendable () -> Void)? {
    didSet { log.setNotification(of: reader, notification) }
  }

  private var notification: (@Sendable () -> Void)? {
    guard let ownNotification, let followerNotification else {
      return ownNotification ?? followerNotification
    }
    return {
      ownNotification()
      followerNotification()
    }
  }

  func stop() { log.close(reader) }

  /// What others saved since the last call; nil when that is nothing.
  func take() -> SavedChanges? {
    let version = log.currentVersion
    if version == seenVersion && unapplied == nil { return nil }
    seenVersion = version
    var changes = log.take(for: reader)
    if let unapplied { changes.append(unapplied) }
    unapplied = nil
    return changes.isEmpty ? nil : changes
  }

  /// Whether something could not be applied.
  var hasUnappliedChanges: Bool { unapplied != nil }

  /// Keeps changes that could not be applied for the next `take()`.
  func putBack(_ changes: SavedChanges) { unapplied = changes }

  func contest(_ identifier: PersistentIdentifier, _ slots: SlotSet) {
    if !slots.isEmpty { contested[identifier, default: SlotSet()].formUnion(slots) }
  }

  func noteChangeUnderEdits(_ identifier: PersistentIdentifier, _ slots: SlotSet) {
    if !slots.isEmpty { changedUnderEdits[identifier, default: SlotSet()].formUnion(slots) }
  }

  func forgetContested() {
    contested = [:]
    changedUnderEdits = [:]
  }

  /// Whether others have announced a save of which it is not known yet that it is complete. Under the write
  /// lock of the store such a save is committed.
  var hasAnnouncedSaves: Bool { log.hasAnnouncements(besides: reader) }

  // MARK: Saving

  /// Whether other contexts read the log, so that saves have to be announced.
  var hasReaders: Bool { log.hasOthers(than: reader) }

  /// Announces a save whose statements have run, while the store is still locked for others.
  ///
  /// What they saved after this context last took changes is contested too.
  func announce(_ changes: SavedChanges) -> Int {
    let (serial, unseen) = log.announce(changes, by: reader)
    if !unseen.updated.isEmpty {
      var theirs: [PersistentIdentifier: SlotSet] = [:]
      for (identifier, slots) in unseen.updated {
        theirs[identifier, default: SlotSet()].formUnion(slots)
      }
      for (identifier, slots) in changes.updated {
        guard let other = theirs[identifier] else { continue }
        contest(identifier, slots.intersection(other))
      }
      for identifier in changes.deleted {
        if let other = theirs[identifier] { contest(identifier, other) }
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
