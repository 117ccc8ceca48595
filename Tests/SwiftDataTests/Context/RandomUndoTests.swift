import Foundation
import SwiftData
import Testing

/// Random edits of a graph, undone and redone in random order, with saves in between: after each step
/// the graph is what it was then, in memory and in the store.
@Suite struct RandomUndoTests {
  @Test(arguments: 0..<16)
  func everyStateComesBack(seed: Int) throws {
    var walk = try UndoWalk(seed: UInt64(seed))
    for _ in 0..<40 { try walk.edit() }
    for _ in 0..<6 {
      let steps = Int.random(in: 1...12, using: &walk.random)
      if Bool.random(using: &walk.random) {
        for _ in 0..<steps { try walk.undo() }
      } else {
        for _ in 0..<steps { try walk.redo() }
      }
      if Int.random(in: 0..<3, using: &walk.random) == 0 { try walk.edit() }
    }
    while walk.manager.canUndo { try walk.undo() }
    try walk.save()
    while walk.manager.canRedo { try walk.redo() }
    try walk.save()
  }
}

private struct UndoWalk {
  let context: ModelContext
  let manager = UndoManager()
  var random: SeededGenerator
  /// The graph after as many steps as the index says.
  private var states: [[String]] = []
  private var counter = 0
  private var held: [any PersistentModel] = []

  init(seed: UInt64) throws {
    context = try Graph.context()
    random = SeededGenerator(state: seed &* 104_729 &+ 3)
    context.undoManager = manager
    states = [try describe(context)]
  }

  mutating func undo() throws {
    guard manager.canUndo else { return }
    manager.undo()
    try check()
  }

  mutating func redo() throws {
    guard manager.canRedo else { return }
    manager.redo()
    try check()
  }

  mutating func save() throws {
    try context.save()
    #expect(!context.hasChanges)
    try expectState(of: ModelContext(context.container))
    try check()
  }

  private mutating func check() throws {
    try expectState(of: context)
    // The same instances are there, and no others.
    let present = held.filter { $0.modelContext === context && !$0.isDeleted }
    #expect(Set(present.map { ObjectIdentifier($0) }) == (try instances()))
    if Int.random(in: 0..<4, using: &random) == 0 {
      try context.save()
      try expectState(of: ModelContext(context.container))
    }
  }

  private func expectState(of context: ModelContext) throws {
    let now = Set(try describe(context))
    let then = Set(states[manager.undoCount])
    #expect(now.subtracting(then).sorted() == [])
    #expect(then.subtracting(now).sorted() == [])
  }

  private func instances() throws -> Set<ObjectIdentifier> {
    func all<T: PersistentModel>(_ type: T.Type) throws -> [ObjectIdentifier] {
      try context.fetch(FetchDescriptor<T>()).map { ObjectIdentifier($0) }
    }
    return Set(
      try all(Graph.Parent.self) + all(Graph.Child.self) + all(Graph.Student.self)
        + all(Graph.Course.self) + all(Graph.Person.self) + all(Graph.Passport.self))
  }

  private func describe(_ context: ModelContext) throws -> [String] {
    var lines: [String] = []
    for parent in try context.fetch(FetchDescriptor<Graph.Parent>()) {
      lines.append("\(parent.name): \(parent.children.map(\.name).sorted())")
    }
    for child in try context.fetch(FetchDescriptor<Graph.Child>()) {
      lines.append("\(child.name) of \(child.parent?.name ?? "nobody")")
    }
    for student in try context.fetch(FetchDescriptor<Graph.Student>()) {
      lines.append("\(student.name): \(student.courses.map(\.title).sorted())")
    }
    for course in try context.fetch(FetchDescriptor<Graph.Course>()) {
      lines.append("\(course.title): \(course.students.map(\.name).sorted())")
    }
    for person in try context.fetch(FetchDescriptor<Graph.Person>()) {
      lines.append("\(person.name) has \(person.passport?.number ?? 0)")
    }
    for passport in try context.fetch(FetchDescriptor<Graph.Passport>()) {
      lines.append("\(passport.number) of \(passport.holder?.name ?? "nobody")")
    }
    return lines.sorted()
  }

  private mutating func name(_ letter: String) -> String {
    counter += 1
    return letter + String(format: "%04d", counter)
  }

  private mutating func any<T: PersistentModel>(
    _ type: T.Type, _ order: any KeyPath<T, String> & Sendable
  )
    throws -> T?
  {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(order)]))
      .randomElement(using: &random)
  }

  private mutating func hold<T: PersistentModel>(_ model: T) -> T {
    held.append(model)
    return model
  }

  /// One event, which is one step if it changes anything.
  mutating func edit() throws {
    for _ in 0...Int.random(in: 0..<3, using: &random) {
      try change()
      // A save ends the event.
      if !context.hasChanges { break }
    }
    context.processPendingChanges()
    let steps = manager.undoCount
    // An event that changed nothing is no step, and leaves what can be redone.
    if !manager.canRedo {
      states.removeSubrange(min(steps, states.count)...)
      states.append(try describe(context))
    }
    #expect(states.count > steps)
    try expectState(of: context)
    if Int.random(in: 0..<3, using: &random) == 0 { try save() }
  }

  private mutating func change() throws {
    switch Int.random(in: 0..<17, using: &random) {
    case 0:
      let parent = hold(Graph.Parent(name("p")))
      parent.children = [hold(Graph.Child(name("c"))), hold(Graph.Child(name("c")))]
      context.insert(parent)
    case 1:
      context.insert(hold(Graph.Child(name("c"), parent: try any(Graph.Parent.self, \.name))))
    case 2, 3:
      try any(Graph.Child.self, \.name)?.parent = try any(Graph.Parent.self, \.name)
    case 4:
      guard let parent = try any(Graph.Parent.self, \.name) else { return }
      let all = try context.fetch(FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)]))
      parent.children = all.filter { _ in Bool.random(using: &random) }
    case 5: try any(Graph.Child.self, \.name)?.name = name("c")
    case 6: try any(Graph.Parent.self, \.name)?.name = name("p")
    case 7:
      context.insert(hold(Graph.Student(name("s"))))
      context.insert(hold(Graph.Course(name("k"))))
    case 8, 9:
      guard let course = try any(Graph.Course.self, \.title) else { return }
      try any(Graph.Student.self, \.name)?.courses.append(course)
    case 10:
      guard let course = try any(Graph.Course.self, \.title) else { return }
      let all = try context.fetch(FetchDescriptor<Graph.Student>(sortBy: [SortDescriptor(\.name)]))
      course.students = all.filter { _ in Bool.random(using: &random) }
    case 11:
      counter += 1
      context.insert(hold(Graph.Passport(counter)))
      context.insert(hold(Graph.Person(name("a"))))
    case 12, 13:
      let passport = try context.fetch(
        FetchDescriptor<Graph.Passport>(sortBy: [SortDescriptor(\.number)])
      ).randomElement(using: &random)
      let person = try any(Graph.Person.self, \.name)
      if Bool.random(using: &random) {
        passport?.holder = person
      } else {
        person?.passport = passport
      }
    // The store applies the delete rules, so deletions are saved within their event.
    case 14:
      guard let model = try any(Graph.Parent.self, \.name) else { return }
      context.delete(model)
      try context.save()
    case 15:
      guard let model = try any(Graph.Student.self, \.name) else { return }
      context.delete(model)
      try context.save()
    default:
      guard let model = try any(Graph.Person.self, \.name) else { return }
      context.delete(model)
      try context.save()
    }
  }
}

private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
