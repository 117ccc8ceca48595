import Synchronization

/// What the contexts of a container have saved recently, for the other contexts.
///
/// A context belongs to one thread, so a save never touches models of another context. It adds its
/// changes to this log, and each context applies them on its own thread
/// (`ExternalChangeApplication.applyNew`).
///
/// 1. A context registers a reader, whose position is the end of the log.
/// 2. A save announces its changes before it commits, and completes or withdraws them afterwards.
///    While it holds the store's write lock, it sees the changes of all earlier saves.
/// 3. A reader takes the entries from its position up to the first one that is not complete.
/// 4. Entries that all readers have taken are removed. If the log exceeds `limit` identifiers, the
///    oldest entries are removed too, and readers that have not taken them get `.everything`.
///
/// While no other context reads the log, saves add no changes to it. A context that never takes its
/// entries keeps the log at its limit, so no call visits all of them. `state` guards all state.
/// `version` counts the complete entries, so a context finds with one load that it has nothing to
/// apply.
final class ChangeLog: Sendable {
  /// The identity of one context as a reader.
  final class Reader: Sendable {}

  fileprivate struct Entry {
    var changes: SavedChanges
    let author: ObjectIdentifier?
    var isComplete: Bool
    /// How many readers have not taken the entry yet.
    var waiting = 0
  }

  fileprivate struct Position {
    var serial: Int
    var hasMissedEntries = false
    var isNotified = false
    var notify: (@Sendable () -> Void)?
  }

  fileprivate struct State {
    var entries = ChangeLogEntries()
    /// The serial numbers of the entries that are not complete, with their authors.
    var announced: [Int: ObjectIdentifier] = [:]
    /// The serial number of the first entry.
    var first = 0
    var size = 0
    var positions: [ObjectIdentifier: Position] = [:]
  }

  private let state = Mutex(State())
  private let version = Atomic<Int>(0)
  private let limit: Int

  init(limit: Int = 20_000) { self.limit = limit }

  /// The number of complete entries; a context compares it with the number that it saw last.
  var currentVersion: Int { version.load(ordering: .acquiring) }

  /// - Parameter notify: Called on the thread of a save when there are entries to take.
  func open(_ reader: Reader, notify: (@Sendable () -> Void)? = nil) {
    state.withLock { state in
      state.remove(ObjectIdentifier(reader))
      let serial = state.announced.keys.min() ?? state.first + state.entries.count
      state.insert(ObjectIdentifier(reader), Position(serial: serial, notify: notify))
    }
  }

  func close(_ reader: Reader) {
    state.withLock { state in
      state.remove(ObjectIdentifier(reader))
      state.dropTaken()
    }
  }

  func hasOthers(than reader: Reader) -> Bool {
    state.withLock { $0.positions.count > ($0.positions[ObjectIdentifier(reader)] == nil ? 0 : 1) }
  }

  /// Whether a save of another reader is announced but not complete.
  func hasAnnouncements(besides reader: Reader) -> Bool {
    state.withLock { $0.announced.values.contains { $0 != ObjectIdentifier(reader) } }
  }

  /// Announces a save that is about to commit.
  /// - Returns: Its serial number, and the changes of other readers that this one has not taken
  ///   yet.
  func announce(_ changes: SavedChanges, by reader: Reader) -> (serial: Int, unseen: SavedChanges) {
    state.withLock { state in
      let author = ObjectIdentifier(reader)
      let position = state.positions[author]?.serial ?? state.first
      var unseen = SavedChanges()
      for index in position - state.first..<state.entries.count
      where state.entries[index].author != author {
        unseen.append(state.entries[index].changes)
      }
      let serial = state.first + state.entries.count
      state.announced[serial] = author
      state.append(Entry(changes: changes, author: author, isComplete: false), limit: limit)
      return (serial, unseen)
    }
  }

  /// Makes an announced entry available to the readers, after the commit.
  func complete(_ serial: Int, with changes: SavedChanges) {
    finish(serial, changes)
  }

  /// Empties the entry of a save that failed.
  func withdraw(_ serial: Int) {
    finish(serial, SavedChanges())
  }

  /// Adds changes that are already committed.
  func add(_ changes: SavedChanges, by reader: Reader?) {
    let notifications = state.withLock { state in
      let author = reader.map(ObjectIdentifier.init)
      guard state.positions.contains(where: { $0.key != author }) else { return [() -> Void]() }
      state.append(Entry(changes: changes, author: author, isComplete: true), limit: limit)
      return state.readersToNotify(besides: author)
    }
    version.add(1, ordering: .releasing)
    for notify in notifications { notify() }
  }

  private func finish(_ serial: Int, _ changes: SavedChanges) {
    let notifications = state.withLock { state in
      let index = serial - state.first
      state.announced[serial] = nil
      guard state.entries.indices.contains(index) else { return [() -> Void]() }
      let author = state.entries[index].author
      // A reader that was notified of a later entry could not take it until now.
      let hasLaterEntries = index < state.entries.count - 1
      state.complete(index, changes, limit: limit)
      return changes.isEmpty && !hasLaterEntries ? [] : state.readersToNotify(besides: author)
    }
    version.add(1, ordering: .releasing)
    for notify in notifications { notify() }
  }

  /// What other contexts have saved since the last call.
  func take(for reader: Reader) -> SavedChanges {
    state.withLock { state in
      let key = ObjectIdentifier(reader)
      guard var position = state.positions[key] else { return SavedChanges() }
      var changes = position.hasMissedEntries ? SavedChanges.everything : SavedChanges()
      while position.serial - state.first < state.entries.count {
        let entry = state.entries[position.serial - state.first]
        guard entry.isComplete else { break }
        if entry.author != key { changes.append(entry.changes) }
        state.entries[position.serial - state.first].waiting -= 1
        position.serial += 1
      }
      position.hasMissedEntries = false
      position.isNotified = false
      state.positions[key] = position
      state.dropTaken()
      return changes
    }
  }

  /// The number of entries that some reader has not taken yet.
  var count: Int { state.withLock { $0.entries.count } }
}

extension ChangeLog.State {
  fileprivate mutating func insert(_ key: ObjectIdentifier, _ position: ChangeLog.Position) {
    positions[key] = position
    for index in position.serial - first..<entries.count { entries[index].waiting += 1 }
  }

  fileprivate mutating func remove(_ key: ObjectIdentifier) {
    guard let position = positions.removeValue(forKey: key) else { return }
    for index in position.serial - first..<entries.count { entries[index].waiting -= 1 }
  }

  fileprivate mutating func append(_ entry: ChangeLog.Entry, limit: Int) {
    var entry = entry
    entry.waiting = positions.count
    entries.append(entry)
    size += entry.changes.size
    shrink(to: limit, changed: entries.count - 1)
  }

  fileprivate mutating func complete(_ index: Int, _ changes: SavedChanges, limit: Int) {
    size += changes.size - entries[index].changes.size
    entries[index].changes = changes
    entries[index].isComplete = true
    shrink(to: limit, changed: index)
  }

  /// Replaces the changed entry by `.everything` if it exceeds the limit, then removes the oldest
  /// entries and marks the readers that have not taken them.
  private mutating func shrink(to limit: Int, changed index: Int) {
    guard size > limit else { return }
    if entries[index].changes.size > limit {
      size += 1 - entries[index].changes.size
      entries[index].changes = .everything
    }
    var dropped = 0
    while size > limit, dropped < entries.count, entries[dropped].isComplete {
      size -= entries[dropped].changes.size
      dropped += 1
    }
    drop(dropped)
    for (key, position) in positions where position.serial < first {
      positions[key]?.serial = first
      positions[key]?.hasMissedEntries = true
    }
  }

  /// Removes the entries that all readers have taken.
  fileprivate mutating func dropTaken() {
    checkInvariants()
    // `waiting` avoids a search through the positions of all readers.
    var taken = 0
    while taken < entries.count, entries[taken].waiting == 0 {
      size -= entries[taken].changes.size
      taken += 1
    }
    drop(taken)
  }

  private func checkInvariants() {
    #if OPENSWIFTDATA_INVARIANTS
      for index in entries.indices.prefix(64) {
        let behind = positions.values.count { $0.serial <= first + index }
        precondition(
          entries[index].waiting == behind, "The reader count of a log entry is wrong.")
        precondition(
          entries[index].isComplete == (announced[first + index] == nil),
          "The announced entries of the log are wrong.")
      }
    #endif
  }

  private mutating func drop(_ count: Int) {
    if count == 0 { return }
    entries.removeFirst(count)
    first += count
  }

  /// The callbacks of readers that have not been notified since they last took entries.
  fileprivate mutating func readersToNotify(besides author: ObjectIdentifier?) -> [() -> Void] {
    var notifications: [() -> Void] = []
    for (key, position) in positions where key != author && !position.isNotified {
      guard let notify = position.notify else { continue }
      positions[key]?.isNotified = true
      notifications.append(notify)
    }
    return notifications
  }
}

/// The entries of a log, oldest first. Removing the first ones does not move the others each time.
private struct ChangeLogEntries {
  private var elements: [ChangeLog.Entry] = []
  /// The index of the first entry; before it are removed ones, without changes.
  private var start = 0

  var count: Int { elements.count - start }
  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> ChangeLog.Entry {
    get { elements[start + index] }
    _modify { yield &elements[start + index] }
  }

  mutating func append(_ entry: ChangeLog.Entry) { elements.append(entry) }

  mutating func removeFirst(_ count: Int) {
    for index in start..<start + count { elements[index].changes = SavedChanges() }
    start += count
    // The removed ones are at least as many as those that move.
    guard start >= self.count else { return }
    elements.removeFirst(start)
    start = 0
  }
}
