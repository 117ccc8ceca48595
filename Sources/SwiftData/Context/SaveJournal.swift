import Synchronization

/// What the contexts of a container saved, for those that have to catch up.
///
/// A context belongs to one thread, so a save never touches the models of another context. It
/// leaves a note here, and each context catches up on its own thread (`ContextCore.catchUp`).
///
/// 1. A context opens a reader, whose place is behind everything that was noted so far.
/// 2. A save announces its note before it commits, and completes or withdraws it afterwards. While
///    it holds the store's write lock it sees the notes of all saves before it.
/// 3. A reader takes the notes behind its place, up to the first that is only announced.
/// 4. Notes that all readers have taken go. Where a reader lags behind by more than `limit`
///    identifiers the oldest notes go too, and it is told that anything may have changed.
///
/// A container with one context notes nothing. All state is guarded by `state`; `version` counts
/// the completed notes, so that a context with nothing to catch up with knows it from one load.
final class SaveJournal: Sendable {
  /// The place of one context.
  final class Reader: Sendable {}

  struct Note: Sendable {
    var updated: [(identifier: PersistentIdentifier, slots: SlotSet)] = []
    var deleted: [PersistentIdentifier] = []
    /// Entities whose rows may be changed or gone, after a deletion that named none.
    var swept: Set<String> = []
    /// Any row may be changed or gone.
    var isEverything = false

    static let everything = Note(isEverything: true)

    var size: Int { updated.count + deleted.count + 1 }

    var isEmpty: Bool { size == 1 && swept.isEmpty && !isEverything }

    mutating func append(_ other: Note) {
      updated += other.updated
      deleted += other.deleted
      swept.formUnion(other.swept)
      isEverything = isEverything || other.isEverything
    }
  }

  fileprivate struct Entry {
    var note: Note
    let author: ObjectIdentifier?
    var isComplete: Bool
  }

  fileprivate struct Place {
    var serial: Int
    var missedNotes = false
    var isWoken = false
    let wake: (@Sendable () -> Void)?
  }

  fileprivate struct State {
    var entries: [Entry] = []
    /// The serial number of the first entry.
    var first = 0
    var size = 0
    var places: [ObjectIdentifier: Place] = [:]
  }

  private let state = Mutex(State())
  private let version = Atomic<Int>(0)
  private let limit: Int

  init(limit: Int = 20_000) { self.limit = limit }

  /// How many notes are complete; a context compares it with what it saw last.
  var currentVersion: Int { version.load(ordering: .acquiring) }

  /// - Parameter wake: Called from the thread of a save when there is something to take.
  func open(_ reader: Reader, wake: (@Sendable () -> Void)? = nil) {
    state.withLock { state in
      let announced = state.entries.firstIndex { !$0.isComplete } ?? state.entries.count
      state.places[ObjectIdentifier(reader)] = Place(serial: state.first + announced, wake: wake)
    }
  }

  func close(_ reader: Reader) {
    state.withLock { state in
      state.places[ObjectIdentifier(reader)] = nil
      state.dropTaken()
    }
  }

  func hasOthers(than reader: Reader) -> Bool {
    state.withLock { $0.places.count > ($0.places[ObjectIdentifier(reader)] == nil ? 0 : 1) }
  }

  /// Announces a save that is about to commit.
  /// - Returns: Its serial number, and what others saved that this reader has not taken yet.
  func announce(_ note: Note, by reader: Reader) -> (serial: Int, unseen: Note) {
    state.withLock { state in
      let author = ObjectIdentifier(reader)
      let place = state.places[author]?.serial ?? state.first
      var unseen = Note()
      for entry in state.entries.dropFirst(place - state.first) where entry.author != author {
        unseen.append(entry.note)
      }
      let serial = state.first + state.entries.count
      state.append(Entry(note: note, author: author, isComplete: false), limit: limit)
      return (serial, unseen)
    }
  }

  /// Opens an announced note to the readers, after the commit.
  func complete(_ serial: Int, with note: Note) {
    finish(serial, note)
  }

  /// Empties the note of a save that failed.
  func withdraw(_ serial: Int) {
    finish(serial, Note())
  }

  /// Notes what is committed already.
  func add(_ note: Note, by reader: Reader?) {
    let wakes = state.withLock { state in
      let author = reader.map(ObjectIdentifier.init)
      guard state.places.contains(where: { $0.key != author }) else { return [() -> Void]() }
      state.append(Entry(note: note, author: author, isComplete: true), limit: limit)
      return state.sleepers(besides: author)
    }
    version.add(1, ordering: .releasing)
    for wake in wakes { wake() }
  }

  private func finish(_ serial: Int, _ note: Note) {
    let wakes = state.withLock { state in
      let index = serial - state.first
      guard state.entries.indices.contains(index) else { return [() -> Void]() }
      let author = state.entries[index].author
      state.complete(index, note, limit: limit)
      return note.isEmpty ? [] : state.sleepers(besides: author)
    }
    version.add(1, ordering: .releasing)
    for wake in wakes { wake() }
  }

  /// What others saved since this was last called.
  func take(for reader: Reader) -> Note {
    state.withLock { state in
      let key = ObjectIdentifier(reader)
      guard var place = state.places[key] else { return Note() }
      var note = place.missedNotes ? Note.everything : Note()
      while place.serial - state.first < state.entries.count {
        let entry = state.entries[place.serial - state.first]
        guard entry.isComplete else { break }
        if entry.author != key { note.append(entry.note) }
        place.serial += 1
      }
      place.missedNotes = false
      place.isWoken = false
      state.places[key] = place
      state.dropTaken()
      return note
    }
  }

  /// How many notes wait for a reader.
  var count: Int { state.withLock { $0.entries.count } }
}

extension SaveJournal.State {
  fileprivate mutating func append(_ entry: SaveJournal.Entry, limit: Int) {
    entries.append(entry)
    size += entry.note.size
    shrink(to: limit)
  }

  fileprivate mutating func complete(_ index: Int, _ note: SaveJournal.Note, limit: Int) {
    size += note.size - entries[index].note.size
    entries[index].note = note
    entries[index].isComplete = true
    shrink(to: limit)
  }

  /// A note that is too long says less; then the oldest go, and their readers know that they did.
  private mutating func shrink(to limit: Int) {
    guard size > limit else { return }
    for index in entries.indices where entries[index].note.size > limit {
      size += 1 - entries[index].note.size
      entries[index].note = .everything
    }
    var dropped = 0
    while size > limit, dropped < entries.count, entries[dropped].isComplete {
      size -= entries[dropped].note.size
      dropped += 1
    }
    drop(dropped)
    for (key, place) in places where place.serial < first {
      places[key]?.serial = first
      places[key]?.missedNotes = true
    }
  }

  /// Forgets the notes that every reader has taken.
  fileprivate mutating func dropTaken() {
    let end = first + entries.count
    let taken = (places.values.map(\.serial).min() ?? end) - first
    guard taken > 0 else { return }
    for entry in entries[..<taken] { size -= entry.note.size }
    drop(taken)
  }

  private mutating func drop(_ count: Int) {
    entries.removeFirst(count)
    first += count
  }

  /// The readers that want to be told, each once until it takes.
  fileprivate mutating func sleepers(besides author: ObjectIdentifier?) -> [() -> Void] {
    var wakes: [() -> Void] = []
    for (key, place) in places where key != author && !place.isWoken {
      guard let wake = place.wake else { continue }
      places[key]?.isWoken = true
      wakes.append(wake)
    }
    return wakes
  }
}
