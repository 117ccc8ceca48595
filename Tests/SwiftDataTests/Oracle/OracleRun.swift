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
  private(set) var context: ModelContext
  private(set) var other: ModelContext
  private(set) var now = Picture()
  private(set) var saved = Picture()
  /// All models that the program has seen, by number.
  private(set) var held: [Int: any Citizen] = [:]
  /// The picture after as many undoable events as the index says.
  private var events: [Picture] = []
  private var place = 0
  private var counter = 0

  init() throws {
    folder = try TemporaryFolder()
    let container = try World.container(folder.store)
    context = ModelContext(container)
    other = ModelContext(container)
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
      restartUndo()
    case .forget: held = [:]
    case .elsewhere(let step): try editElsewhere(step)
    case .reopen: try reopen()
    default:
      try edit(step, in: context)
      if isEventOpen { return }
    }
    try endEvent()
  }

  // MARK: Undo

  private mutating func restartUndo() {
    context.undoManager?.removeAllActions()
    events = [now]
    place = 0
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
    do {
      try context.save()
      if isDenied { throw Disagreement(description: "the save was to be denied") }
      now = now.settled
      self.saved = now
      try checkStore()
    } catch let error as SwiftDataError where isDenied && error == .modelValidationFailure {
      if !context.hasChanges {
        throw Disagreement(description: "a denied save lost the changes")
      }
    }
  }

  private mutating func editElsewhere(_ step: Move) throws {
    // Two contexts with unsaved changes are the matter of RandomContextsTests.
    guard now == saved, !context.hasChanges else { return }
    try edit(step, in: other)
    let saved = saved
    if now.isDenied(isStored: { saved.things[$0] != nil }) {
      other.rollback()
      now = saved
    } else {
      try other.save()
      now = now.settled
      self.saved = now
    }
    context.processPendingChanges()
    restartUndo()
  }

  private mutating func reopen() throws {
    let undoes = context.undoManager != nil
    held = [:]
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

  // MARK: Editing

  private func model(_ number: Int, in context: ModelContext) throws -> any Citizen {
    if context === self.context, let model = held[number] { return model }
    func find<T: Citizen>(_ type: T.Type) throws -> (any Citizen)? {
      try context.fetch(FetchDescriptor<T>()).first { $0.number == number }
    }
    let found =
      switch now.things[number]?.kind {
      case .team: try find(World.Team.self)
      case .member, .captain: try find(World.Member.self)
      case .club: try find(World.Club.self)
      case .badge: try find(World.Badge.self)
      default: try find(World.Chore.self)
      }
    guard let found else { throw Disagreement(description: "\(number) is not found") }
    return found
  }

  /// What goes along with a deletion is not touched where that could be undone after the save: there is
  /// no state then that all would call the one before.
  private func candidates(_ accepts: (Kind) -> Bool) -> [Int] {
    let present = now.present(accepts)
    if now.doomed.isEmpty || context.undoManager == nil { return present }
    let going = now.goesWithDoomed
    return present.filter { !going.contains($0) }
  }

  private func choose(_ which: Int, _ accepts: (Kind) -> Bool = { _ in true }) -> Int? {
    let numbers = candidates(accepts)
    return numbers.isEmpty ? nil : numbers[which % numbers.count]
  }

  private mutating func made(_ kind: Kind, in context: ModelContext) -> any Citizen {
    counter += 1
    let model = kind.make(counter, value: 1000 + counter)
    now.things[counter] = Picture.Thing(kind: kind, value: model.value)
    if context === self.context { held[counter] = model }
    return model
  }

  private mutating func edit(_ step: Move, in context: ModelContext) throws {
    switch step {
    case .insert(let kind): context.insert(made(kind, in: context))
    case .insertTree: insertTree(in: context)
    case .edit(let which, let value):
      guard let number = choose(which, { $0 != .badge }) else { return }
      try model(number, in: context).value = value
      now.things[number]?.value = value
    case .swap(let one, let two):
      guard let one = choose(one, { $0 == .badge }), let two = choose(two, { $0 == .badge })
      else { return }
      let (first, second) = (try model(one, in: context), try model(two, in: context))
      (first.value, second.value) = (second.value, first.value)
      now.things[one]?.value = first.value
      now.things[two]?.value = second.value
    case .link(let bond, let side, let one, let two):
      guard let (one, two) = ends(bond, side, one, two) else { return }
      bond.end(side).append(try model(one, in: context), try model(two, in: context))
      now.link(bond, side, one, two)
    case .unlink(let bond, let side, let one, let two):
      guard let (one, two) = ends(bond, side, one, two) else { return }
      if bond.isToMany(side) {
        bond.end(side).remove(try model(one, in: context), try model(two, in: context))
        now.unlink(bond, side, one, two)
      } else {
        bond.end(side).write(try model(one, in: context), [])
        now.replace(bond, side, one, by: [])
      }
    case .replace(let bond, let side, let one, let bits):
      guard let one = choose(one, { bond.accepts($0, on: side) }) else { return }
      let chosen = candidates { bond.accepts($0, on: side.opposite) }.enumerated()
        .filter { bits >> ($0.offset % 4) & 1 == 1 }.map(\.element)
      let partners = bond.isToMany(side) ? chosen : []
      let models = try partners.map { try model($0, in: context) }
      bond.end(side).write(try model(one, in: context), models)
      now.replace(bond, side, one, by: partners)
    case .delete(let which):
      guard let number = choose(which) else { return }
      let saved = saved
      delete(try model(number, in: context), from: context)
      now.delete(number) { saved.things[$0] != nil }
    default: return
    }
  }

  private func ends(_ bond: Bond, _ side: Bond.Side, _ one: Int, _ two: Int) -> (Int, Int)? {
    guard let one = choose(one, { bond.accepts($0, on: side) }),
      let two = choose(two, { bond.accepts($0, on: side.opposite) })
    else { return nil }
    return (one, two)
  }

  private func delete(_ model: some Citizen, from context: ModelContext) { context.delete(model) }

  private mutating func insertTree(in context: ModelContext) {
    let root = made(.team, in: context)
    let team = root.number
    let members = [made(.member, in: context), made(.captain, in: context)]
    let badge = made(.badge, in: context)
    Bond.badge.end(.left).write(members[0], [badge])
    Bond.team.end(.left).write(root, members)
    Bond.mentor.end(.right).write(members[1], [members[0]])
    context.insert(root)
    now.replace(.team, .left, team, by: members.map(\.number))
    now.link(.badge, .left, members[0].number, badge.number)
    now.link(.mentor, .right, members[1].number, members[0].number)
  }
}
