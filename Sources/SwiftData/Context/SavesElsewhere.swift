/// One context's view of what the other contexts of its container save.
final class SavesElsewhere {
  private let journal: SaveJournal
  private let reader = SaveJournal.Reader()
  private var seenVersion: Int
  /// What was taken and could not be worked off, because a store could not be read.
  private var leftOver: SaveJournal.Note?
  /// Properties with unsaved changes that another context has stored differently since.
  private(set) var contested: [PersistentIdentifier: SlotSet] = [:]

  init(_ journal: SaveJournal) {
    self.journal = journal
    seenVersion = journal.currentVersion
    journal.open(reader)
  }

  /// - Parameter wake: Called from other threads after a save of another context.
  func wake(_ wake: @escaping @Sendable () -> Void) { journal.open(reader, wake: wake) }

  func stop() { journal.close(reader) }

  /// What is to be caught up with; nil when nothing is.
  func take() -> SaveJournal.Note? {
    let version = journal.currentVersion
    if version == seenVersion && leftOver == nil { return nil }
    seenVersion = version
    var note = journal.take(for: reader)
    if let leftOver { note.append(leftOver) }
    leftOver = nil
    return note.isEmpty ? nil : note
  }

  /// Keeps a note for the next time.
  func putBack(_ note: SaveJournal.Note) { leftOver = note }

  func contest(_ identifier: PersistentIdentifier, _ slots: SlotSet) {
    if !slots.isEmpty { contested[identifier, default: SlotSet()].formUnion(slots) }
  }

  func forgetContested() { contested = [:] }

  // MARK: Saving

  /// Whether anybody has to be told of a save.
  var hasReaders: Bool { journal.hasOthers(than: reader) }

  /// Announces a save whose statements have run, while the store is still locked for others.
  ///
  /// What they saved after this context last caught up is contested too.
  func announce(_ note: SaveJournal.Note) -> Int {
    let (serial, unseen) = journal.announce(note, by: reader)
    if !unseen.updated.isEmpty {
      var theirs: [PersistentIdentifier: SlotSet] = [:]
      for (identifier, slots) in unseen.updated {
        theirs[identifier, default: SlotSet()].formUnion(slots)
      }
      for (identifier, slots) in note.updated {
        guard let other = theirs[identifier] else { continue }
        contest(identifier, slots.intersection(other))
      }
      for identifier in note.deleted {
        if let other = theirs[identifier] { contest(identifier, other) }
      }
    }
    return serial
  }

  func complete(_ serial: Int, with note: SaveJournal.Note) {
    journal.complete(serial, with: note)
  }

  func withdraw(_ serial: Int) { journal.withdraw(serial) }

  func add(_ note: SaveJournal.Note) { journal.add(note, by: reader) }
}
