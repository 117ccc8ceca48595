import Foundation
import SwiftData
import Testing

/// Random edits of a graph agree with plain dictionaries: in memory after every step, and in the
/// store after every save. Half of the seeds lose their models from memory after each save.
@Suite struct RandomGraphTests {
  @Test(arguments: 0..<24)
  func editsAgreeWithPlainDictionaries(seed: Int) throws {
    var walk = try RandomWalk(seed: UInt64(seed), keepsModels: seed % 2 == 0)
    for _ in 0..<150 {
      try walk.step()
      try walk.check()
    }
    try walk.save()
    try walk.check()
  }
}

/// What the graph should look like, by names.
private struct ExpectedGraph {
  var parents: Set<String> = []
  var children: [String: String?] = [:]
  var students: Set<String> = []
  var courses: Set<String> = []
  /// Student and course, joined by a space.
  var pairs: Set<String> = []
  var people: Set<String> = []
  /// Number of a passport to its holder.
  var passports: [Int: String?] = [:]
}

private struct RandomWalk {
  let container: ModelContainer
  let keepsModels: Bool
  var context: ModelContext
  var random: SplitMix
  var now = ExpectedGraph()
  var stored = ExpectedGraph()
  var counter = 0
  var held: [any PersistentModel] = []

  init(seed: UInt64, keepsModels: Bool) throws {
    container = try Graph.container()
    context = ModelContext(container)
    random = SplitMix(state: seed &* 7919 &+ 1)
    self.keepsModels = keepsModels
  }

  private mutating func one<T>(_ all: [T]) -> T? { all.randomElement(using: &random) }

  private mutating func name(_ letter: String) -> String {
    counter += 1
    return letter + String(format: "%04d", counter)
  }

  private mutating func parent() throws -> Graph.Parent? {
    one(try context.fetch(FetchDescriptor<Graph.Parent>(sortBy: [SortDescriptor(\.name)])))
  }

  private mutating func child() throws -> Graph.Child? {
    one(try context.fetch(FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)])))
  }

  private mutating func student() throws -> Graph.Student? {
    one(try context.fetch(FetchDescriptor<Graph.Student>(sortBy: [SortDescriptor(\.name)])))
  }

  private mutating func course() throws -> Graph.Course? {
    one(try context.fetch(FetchDescriptor<Graph.Course>(sortBy: [SortDescriptor(\.title)])))
  }

  private mutating func person() throws -> Graph.Person? {
    one(try context.fetch(FetchDescriptor<Graph.Person>(sortBy: [SortDescriptor(\.name)])))
  }

  private mutating func passport() throws -> Graph.Passport? {
    one(try context.fetch(FetchDescriptor<Graph.Passport>(sortBy: [SortDescriptor(\.number)])))
  }

  mutating func step() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      let parent = Graph.Parent(name("p"))
      context.insert(parent)
      now.parents.insert(parent.name)
      held.append(parent)
    case 1:
      let owner = try parent()
      let child = Graph.Child(name("c"), parent: owner)
      context.insert(child)
      now.children[child.name] = .some(owner?.name)
      held.append(child)
    case 2:
      guard let owner = try parent() else { return }
      let child = Graph.Child(name("c"))
      owner.children.append(child)
      now.children[child.name] = owner.name
    case 3:
      guard let child = try child() else { return }
      let owner = try parent()
      child.parent = owner
      now.children[child.name] = .some(owner?.name)
    case 4:
      guard let owner = try parent(), let child = try child() else { return }
      owner.children.append(child)
      now.children[child.name] = owner.name
    case 5:
      guard let owner = try parent() else { return }
      let kept = owner.children.filter { _ in Bool.random(using: &random) }
      for child in owner.children { now.children[child.name] = .some(nil) }
      for child in kept { now.children[child.name] = owner.name }
      owner.children = kept
    case 6:
      guard let child = try child() else { return }
      now.children[child.name] = nil
      context.delete(child)
      try save()
    case 7:
      guard let owner = try parent() else { return }
      for child in owner.children { now.children[child.name] = nil }
      now.parents.remove(owner.name)
      context.delete(owner)
      try save()
    case 8:
      let (student, course) = (Graph.Student(name("s")), Graph.Course(name("k")))
      context.insert(student)
      context.insert(course)
      now.students.insert(student.name)
      now.courses.insert(course.title)
    case 9, 10:
      guard let student = try student(), let course = try course() else { return }
      student.courses.append(course)
      now.pairs.insert(student.name + " " + course.title)
    case 11:
      guard let student = try student(), let course = try course() else { return }
      course.students.removeAll { $0 === student }
      now.pairs.remove(student.name + " " + course.title)
    case 12:
      guard let course = try course() else { return }
      let all = try context.fetch(FetchDescriptor<Graph.Student>(sortBy: [SortDescriptor(\.name)]))
      let chosen = all.filter { _ in Bool.random(using: &random) }
      course.students = chosen
      now.pairs = now.pairs.filter { !$0.hasSuffix(" " + course.title) }
      for student in chosen { now.pairs.insert(student.name + " " + course.title) }
    case 13:
      guard let student = try student() else { return }
      now.students.remove(student.name)
      now.pairs = now.pairs.filter { !$0.hasPrefix(student.name + " ") }
      context.delete(student)
      try save()
    case 14:
      let person = Graph.Person(name("a"))
      counter += 1
      let passport = Graph.Passport(counter)
      context.insert(person)
      context.insert(passport)
      now.people.insert(person.name)
      now.passports[passport.number] = .some(nil)
    case 15, 16:
      guard let person = try person() else { return }
      let passport = try passport()
      for (number, holder) in now.passports where holder == person.name {
        now.passports[number] = .some(nil)
      }
      if let passport { now.passports[passport.number] = person.name }
      if Bool.random(using: &random) || passport == nil {
        person.passport = passport
      } else {
        passport?.holder = person
      }
    case 17: try save()
    default:
      if Int.random(in: 0..<3, using: &random) == 0 {
        context.rollback()
        now = stored
      } else {
        try save()
      }
    }
  }

  mutating func save() throws {
    try context.save()
    stored = now
    expect(try Self.read(ModelContext(container)), is: now, "stored")
    if !keepsModels {
      held = []
      if Bool.random(using: &random) { context = ModelContext(container) }
    }
  }

  func check() throws { expect(try Self.read(context), is: now, "in memory") }

  private func expect(_ found: ExpectedGraph, is wanted: ExpectedGraph, _ place: Comment) {
    #expect(found.parents == wanted.parents, place)
    #expect(found.children == wanted.children, place)
    #expect(found.students == wanted.students, place)
    #expect(found.courses == wanted.courses, place)
    #expect(found.pairs == wanted.pairs, place)
    #expect(found.people == wanted.people, place)
    #expect(found.passports == wanted.passports, place)
  }

  /// The graph as a context shows it; both sides of each relationship are compared on the way.
  private static func read(_ context: ModelContext) throws -> ExpectedGraph {
    var graph = ExpectedGraph()
    var owned: [String: String?] = [:]
    for parent in try context.fetch(FetchDescriptor<Graph.Parent>()) {
      graph.parents.insert(parent.name)
      for child in parent.children { owned[child.name] = parent.name }
    }
    for child in try context.fetch(FetchDescriptor<Graph.Child>()) {
      graph.children[child.name] = .some(child.parent?.name)
      #expect(owned[child.name] ?? nil == child.parent?.name)
    }
    for student in try context.fetch(FetchDescriptor<Graph.Student>()) {
      graph.students.insert(student.name)
      for course in student.courses { graph.pairs.insert(student.name + " " + course.title) }
    }
    var pairs: Set<String> = []
    for course in try context.fetch(FetchDescriptor<Graph.Course>()) {
      graph.courses.insert(course.title)
      for student in course.students { pairs.insert(student.name + " " + course.title) }
    }
    #expect(pairs == graph.pairs)
    var holders: [String: Int] = [:]
    for passport in try context.fetch(FetchDescriptor<Graph.Passport>()) {
      graph.passports[passport.number] = .some(passport.holder?.name)
      if let holder = passport.holder { holders[holder.name] = passport.number }
    }
    for person in try context.fetch(FetchDescriptor<Graph.Person>()) {
      graph.people.insert(person.name)
      #expect(person.passport?.number == holders[person.name])
    }
    return graph
  }
}

/// A small generator with a seed, so that a failing walk can be walked again.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
