import Foundation
import SwiftData
import Testing

/// Several contexts edit, move, add and delete at random, and save in any order. Once all have saved
/// and caught up, what each has in memory is what a fresh context reads.
@Suite struct RandomContextsTests {
  @Test(arguments: 0..<32)
  func allContextsEndWithTheSameGraph(seed: Int) throws {
    var crowd = try Crowd(seed: UInt64(seed))
    for _ in 0..<8 {
      for _ in 0..<12 { try crowd.step() }
      try crowd.settle()
      try crowd.check()
    }
    #expect(crowd.checked > 50)
  }
}

private struct Crowd {
  /// A context and the models that it has read, which it keeps.
  struct Member {
    let context: ModelContext
    var held: [ObjectIdentifier: any PersistentModel] = [:]
  }

  var members: [Member]
  var random: SeededRandom
  var counter = 0
  /// How many models were compared.
  var checked = 0

  init(seed: UInt64) throws {
    let container = try Graph.container()
    members = (0..<3).map { _ in Member(context: ModelContext(container)) }
    random = SeededRandom(seed)
  }

  private mutating func name() -> String {
    counter += 1
    return String(format: "%04d", counter)
  }

  mutating func step() throws {
    let index = Int.random(in: 0..<members.count, using: &random)
    let context = members[index].context
    let parents = try context.fetch(FetchDescriptor<Graph.Parent>(sortBy: [.init(\.name)]))
    let children = try context.fetch(FetchDescriptor<Graph.Child>(sortBy: [.init(\.name)]))
    let courses = try context.fetch(FetchDescriptor<Graph.Course>(sortBy: [.init(\.title)]))
    let students = try context.fetch(FetchDescriptor<Graph.Student>(sortBy: [.init(\.name)]))
    let read: [any PersistentModel] = parents + children + courses + students
    for model in read { members[index].held[ObjectIdentifier(model)] = model }
    for parent in parents { _ = parent.children.count }
    for course in courses where Bool.random(using: &random) { _ = course.students.count }
    let parent = parents.randomElement(using: &random)
    let child = children.randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: context.insert(Graph.Parent(name()))
    case 1: context.insert(Graph.Child(name(), parent: parent))
    case 2: parent?.children.append(Graph.Child(name()))
    case 3: child?.parent = parent
    case 4: parent?.name += "!"
    case 5: child?.name += "?"
    case 6: if let child { context.delete(child) }
    case 7: if let parent, parents.count > 3 { context.delete(parent) }
    case 8: context.insert(Graph.Student(name()))
    case 9:
      let course = Graph.Course(name())
      context.insert(course)
      course.students = students.filter { _ in Bool.random(using: &random) }
    case 10:
      courses.randomElement(using: &random)?.students = students.shuffled(using: &random)
    default: try save(index)
    }
  }

  /// A save that meets a deletion of another context is given up.
  private mutating func save(_ index: Int) throws {
    do {
      try members[index].context.save()
    } catch let error as SwiftDataError where error == .modelValidationFailure {
      #expect(error.description.contains("deleted"))
      members[index].context.rollback()
    }
  }

  mutating func settle() throws {
    for index in members.indices.shuffled(using: &random) { try save(index) }
    for member in members {
      #expect(!member.context.hasChanges)
      member.context.processPendingChanges()
    }
  }

  mutating func check() throws {
    let fresh = ModelContext(members[0].context.container)
    for member in members {
      // A new model that a rollback discarded has no context.
      for model in member.held.values where !model.isDeleted && model.modelContext != nil {
        checked += 1
        switch model {
        case let parent as Graph.Parent: try agree(parent, in: fresh, Crowd.text)
        case let child as Graph.Child: try agree(child, in: fresh, Crowd.text)
        case let course as Graph.Course: try agree(course, in: fresh, Crowd.text)
        case let student as Graph.Student: try agree(student, in: fresh, Crowd.text)
        default: break
        }
      }
    }
    for child in try fresh.fetch(FetchDescriptor<Graph.Child>()) {
      #expect(child.parent?.isDeleted != true)
    }
  }

  private func agree<T: PersistentModel>(
    _ model: T, in fresh: ModelContext, _ text: (T) -> String
  ) throws {
    let id = model.persistentModelID
    let stored = try fresh.fetch(
      FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id }))
    #expect(stored.map(text) == [text(model)])
  }

  private static func text(_ parent: Graph.Parent) -> String {
    parent.name + ":" + parent.children.map(\.name).sorted().joined(separator: ",")
  }

  private static func text(_ child: Graph.Child) -> String {
    child.name + ":" + (child.parent?.name ?? "-")
  }

  private static func text(_ course: Graph.Course) -> String {
    course.title + ":" + course.students.map(\.name).sorted().joined(separator: ",")
  }

  private static func text(_ student: Graph.Student) -> String {
    student.name + ":" + student.courses.map(\.title).sorted().joined(separator: ",")
  }
}
