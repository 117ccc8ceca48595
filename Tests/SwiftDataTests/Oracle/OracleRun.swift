import Foundation
import SwiftData

/// What a context or its store shows otherwise than the oracle.
struct Disagreement: Error, CustomStringConvertible {
  let description: String
}

/// Runs a program against a context on a file, and beside it against pictures.
///
/// 1. A step changes the context and `now` alike.
/// 2. Unless the next step is joined, the event ends; with an undo manager its picture is kept.
/// 3. `check` holds the context against `now`; after a save a second context, a fresh one and the
///    tables too.
struct OracleRun {
  let folder: TemporaryFolder
  var context: ModelContext {
    didSet { if observers != nil { observers = OracleObservers(context) } }
  }
  var other: ModelContext
  var now = Picture()
  var saved = Picture()
  /// All models that the program has seen, by number.
  var held: [Int: any Citizen] = [:]
  /// Instances of rows that the context shows by another one, with their numbers.
  var duplicates: [(number: Int, model: any Citizen)] = []
  /// What another context deleted while changes of it were unsaved here: no save stores these.
  var lost: Set<Int> = []
  /// The picture after as many undoable events as the index says.
  private var events: [Picture] = []
  private var place = 0
  var counter = 0
  /// They hold what they show, so half of the programs run without.
  private(set) var observers: OracleObservers?
  /// Kept up to date by the history alone.
  private var replica = HistoryReplica()
  /// Whether something was edited that goes along with a pending deletion. A save leaves no state
  /// then to which all would agree that an undo leads.
  var hasEditedGoing = false

  init(isObserved: Bool = false) throws {
    folder = try TemporaryFolder()
    let container = try World.container(folder.store)
    context = ModelContext(container)
    other = ModelContext(container)
    observers = isObserved ? OracleObservers(context) : nil
  }

  mutating func run(_ program: Program) throws {
    for (index, step) in program.steps.enumerated() {
      let next = program.steps.dropFirst(index + 1).first
      do {
        try run(
          step, isEventOpen: next.map { if case .joined = $0 { true } else { false } } ?? false)
        try check()
      } catch let disagreement as Disagreement {
        throw Disagreement(description: "after step \(index + 1), \(step): \(disagreement)")
      }
    }
    try run(.save, isEventOpen: false)
    try check()
    try checkHistory()
    replica = HistoryReplica()
    try checkHistory()
  }

  /// The history leads from the last save that was followed, or from an empty store, to the data.
  private mutating func checkHistory() throws {
    if let difference = try replica.follow(context.container).first {
      throw Disagreement(description: "replayed history: \(difference)")
    }
  }

  private mutating func run(_ step: Move, isEventOpen: Bool) throws {
    switch step {
    case .joined: return
    case .recordUndo:
      if context.undoManager == nil {
        context.undoManager = UndoManager()
        restartUndo()
      }
    case .undo, .redo: try walk(step)
    case .save: try save()
    case .rollback:
      context.rollback()
      now = saved
      lost = []
      restartUndo()
    case .forget:
      held = [:]
      duplicates = []
    case .forgetOnAnotherThread: try forgetOnAnotherThread()
    case .editDuplicate(let which, let value): try editDuplicate(which, value)
    case .replaceByDuplicate(let which, let bits): try replaceByDuplicate(which, bits)
    case .deleteElsewhere(let which): try deleteElsewhere(which)
    case .linkStranger(let bond, let side, let which): try linkStranger(bond, side, which)
    case .elsewhere(let step): try editElsewhere(step)
    case .reopen: try reopen()
    default:
      try edit(step, in: context)
      if isEventOpen { return }
    }
    try endEvent()
  }

  // MARK: Undo

  mutating func restartUndo() {
    context.undoManager?.removeAllActions()
    events = [now]
    place = 0
    hasEditedGoing = false
  }

  private mutating func endEvent() throws {
    guard let manager = context.undoManager else { return }
    context.processPendingChanges()
    if manager.undoCount > place {
      events.removeSubrange((place + 1)...)
      events.append(now)
      place = manager.undoCount
    } else if let difference = now.settled.difference(from: events[place].settled) {
      throw Disagreement(description: "the event was not recorded: \(difference)")
    }
    if events.count != place + 1 + manager.redoCount {
      throw Disagreement(description: "\(place) undos and \(manager.redoCount) redos are offered")
    }
  }

  private mutating func walk(_ step: Move) throws {
    guard let manager = context.undoManager else { return }
    try endEvent()
    let isUndo = if case .undo = step { true } else { false }
    guard isUndo ? manager.canUndo : manager.canRedo else { return }
    let before = try picture(of: context)
    if isUndo { manager.undo() } else { manager.redo() }
    place += isUndo ? -1 : 1
    // A step that has nothing to change any more is dropped.
    if manager.undoCount + manager.redoCount < events.count - 1 {
      if let difference = try picture(of: context).settled.difference(from: before.settled) {
        throw Disagreement(description: "a step was lost that changed \(difference)")
      }
      events.remove(at: isUndo ? place + 1 : place)
      place = manager.undoCount
    }
    // What delete rules did may be pending as deletions now: a save must come to the same.
    let seen = try picture(of: context)
    if let difference = seen.settled.difference(from: events[place].settled) {
      throw Disagreement(description: "another state came back: \(difference)")
    }
    now = seen
  }

  // MARK: Saving

  private mutating func save() throws {
    try endEvent()
    let saved = saved
    let isDenied = now.isDenied { saved.things[$0] != nil }
    var audit = try HistoryAudit(context.container)
    do {
      try context.save()
      if isDenied { throw Disagreement(description: "the save was to be denied") }
      // What was assigned its old value counts as changed.
      if let difference = try audit.differences(isExact: false).first {
        throw Disagreement(description: "history: \(difference)")
      }
      try checkHistory()
      try settle()
      try checkStore()
      if hasEditedGoing { restartUndo() }
    } catch let error as SwiftDataError where isDenied && error == .modelValidationFailure {
      if !context.hasChanges {
        throw Disagreement(description: "a denied save lost the changes")
      }
    }
  }

  /// The pending picture is the saved one. Where a new thing became the row of another, its number
  /// leads to the instance that the context shows.
  mutating func settle() throws {
    let stored = saved
    now = now.settled
    let merged = now.mergeUniqueValues { stored.things[$0] != nil }
    saved = now
    lost = []
    for (old, new) in merged {
      let known = [held.removeValue(forKey: old), held.removeValue(forKey: new)]
      for index in duplicates.indices where duplicates[index].number == old {
        duplicates[index].number = new
      }
      guard now.things[new] != nil else { continue }
      let shown = try model(new, in: context)
      held[new] = shown
      for model in known.compactMap(\.self) where model !== shown {
        duplicates.append((new, model))
      }
    }
  }

  private mutating func editDuplicate(_ which: Int, _ value: Int) throws {
    guard let (number, duplicate) = try chooseDuplicate(which, { $0 == .club }) else { return }
    duplicate.value = value
    now.things[number]?.value = value
    try save()
  }

  private mutating func replaceByDuplicate(_ which: Int, _ bits: Int) throws {
    if context.undoManager == nil, !duplicates.contains(where: { now.things[$0.number] != nil }) {
      let kinds = Kind.allCases.filter(\.isUnique)
      try edit(.upsert(kinds[which % kinds.count], which), in: context)
      try save()
    }
    guard let (number, duplicate) = try chooseDuplicate(which, \.isUnique),
      let (bond, side) = Kind(of: duplicate).uniqueEnd
    else { return }
    try replace(bond, side, (number, duplicate), bits, in: context)
    try save()
  }

  /// An instance that an upsert made a duplicate, of a row without unsaved changes.
  private func chooseDuplicate(
    _ which: Int, _ accepts: (Kind) -> Bool
  ) throws -> (number: Int, model: any Citizen)? {
    let saved = saved
    let found = duplicates.filter { now.things[$0.number].map { accepts($0.kind) } ?? false }
    guard !found.isEmpty, !now.isDenied(isStored: { saved.things[$0] != nil }) else { return nil }
    let chosen = found[which % found.count]
    guard !now.doomed.contains(chosen.number),
      try !model(chosen.number, in: context).hasChanges
    else { return nil }
    return chosen
  }

  private mutating func reopen() throws {
    let undoes = context.undoManager != nil
    held = [:]
    duplicates = []
    let container = try World.container(folder.store)
    context = ModelContext(container)
    other = ModelContext(container)
    now = saved
    if undoes { context.undoManager = UndoManager() }
    restartUndo()
  }

  private mutating func checkStore() throws {
    for (name, context) in [("second", other), ("fresh", ModelContext(context.container))] {
      let seen = try picture(of: context)
      if let difference = seen.difference(from: saved) {
        throw Disagreement(description: "the \(name) context has \(difference)")
      }
    }
    let rows = try StoredPicture(folder.store).lines
    let (unexpected, missing) = (
      rows.subtracting(saved.lines).sorted(), Set(saved.lines).subtracting(rows).sorted()
    )
    if !unexpected.isEmpty || !missing.isEmpty {
      throw Disagreement(description: "the tables have \(unexpected), lack \(missing)")
    }
  }
}
