import Foundation
import SwiftData
import Testing

/// Models whose context was released keep the related models that are in memory, and are freed like others.
@Suite(.databases) struct ReleasedContextTests {
  private let recorder = StatementRecorder()

  private func filled() throws -> ModelContainer {
    let container = try recorder.container(Graph.types)
    let context = ModelContext(container)
    for number in 0..<5 {
      let parent = Graph.Parent("\(number)")
      context.insert(parent)
      for index in 0..<3 {
        let child = Graph.Child("\(number).\(index)", parent: parent)
        context.insert(child)
        context.insert(Graph.Toy("\(number).\(index)", owner: child))
      }
    }
    let top = Graph.Node("top")
    context.insert(top)
    for number in 0..<4 {
      context.insert(Graph.Node("\(number)", parent: top))
      let (student, course) = (Graph.Student("\(number)"), Graph.Course("\(number)"))
      context.insert(student)
      student.courses = [course]
      let person = Graph.Person("\(number)")
      context.insert(person)
      person.passport = Graph.Passport(number)
    }
    try context.save()
    return container
  }

  /// The models of a fetch in a context that lives no longer than this call.
  private func fetched<T: PersistentModel>(
    _ container: ModelContainer, prefetching keyPaths: [PartialKeyPath<T>] = [],
    _ use: (ModelContext, [T]) throws -> Void = { _, _ in }
  ) throws -> [T] {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<T>(sortBy: [SortDescriptor(\.persistentModelID)])
    descriptor.relationshipKeyPathsForPrefetching = keyPaths
    let models = try context.fetch(descriptor)
    try use(context, models)
    return models
  }

  private func statements(_ body: () throws -> Void) rethrows -> Int {
    try recorder.during(body).count
  }

  private func expectStatements(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    let ran = try recorder.during(body).map(\.sql)
    #expect(ran.count == count, "\(ran)", sourceLocation: sourceLocation)
  }

  @Test func prefetchedRelationshipsStay() throws {
    let container = try filled()
    let parents = try fetched(container, prefetching: [\Graph.Parent.children.first?.toys])
    let toys = try fetched(container, prefetching: [\Graph.Toy.owner.parent])
    let nodes = try fetched(container, prefetching: [\Graph.Node.children])
    let people = try fetched(container, prefetching: [\Graph.Person.passport])
    let ran = statements {
      #expect(parents.allSatisfy { $0.children.map { $0.toys?.count } == [1, 1, 1] })
      #expect(toys.enumerated().allSatisfy { $1.owner.parent?.name == "\($0 / 3)" })
      #expect(nodes.map(\.children.count) == [4, 0, 0, 0, 0])
      #expect(people.map { $0.passport?.number } == [0, 1, 2, 3])
    }
    #expect(ran == 0)
    // Only the model itself is held.
    let owner = try #require(try fetched(container, prefetching: [\Graph.Toy.owner]).last)
    try expectStatements(0) { #expect(owner.owner.name == "4.2") }
  }

  @Test func listsThatWereReadStay() throws {
    let parents: [Graph.Parent] = try fetched(try filled()) { _, parents in
      #expect(parents.allSatisfy { $0.children.count == 3 })
    }
    try expectStatements(0) { #expect(parents.flatMap(\.children).count == 15) }
  }

  @Test func aToOneIsReadOnce() throws {
    let container = try filled()
    let toys: [Graph.Toy] = try fetched(container)
    try expectStatements(15) { #expect(toys.allSatisfy { $0.owner.name == $0.name }) }
    try expectStatements(0) { #expect(toys.allSatisfy { $0.owner.name == $0.name }) }
    let saved = try {
      let context = ModelContext(container)
      let toy = Graph.Toy("new", owner: Graph.Child("new"))
      context.insert(toy)
      try context.save()
      return toy
    }()
    _ = saved.owner
    try expectStatements(0) { for _ in 0..<3 { #expect(saved.owner.name == "new") } }
  }

  @Test func unsavedChangesDoNotStay() throws {
    let container = try filled()
    let parents: [Graph.Parent] = try fetched(container) { context, parents in
      context.reportsUnsavedChanges = false
      parents[0].children.append(Graph.Child("unsaved"))
      parents[1].children.removeLast()
    }
    #expect(parents.prefix(2).map(\.children.count) == [3, 3])
  }

  /// Both sides of each relationship are in memory, along several ways, also read after the end of the context.
  @Test(arguments: [false, true]) func modelsAreFreed(_ isReadLater: Bool) throws {
    let container = try filled()
    weak var parent: Graph.Parent?
    weak var child: Graph.Child?
    weak var student: Graph.Student?
    weak var node: Graph.Node?
    weak var person: Graph.Person?
    try {
      func read(
        _ parents: [Graph.Parent], _ students: [Graph.Student], _ nodes: [Graph.Node],
        _ people: [Graph.Person]
      ) {
        for parent in parents {
          for child in parent.children {
            #expect(child.parent?.children.count == 3 && child.toys?.first?.owner != nil)
          }
        }
        for student in students { #expect(student.courses.allSatisfy { $0.students.count == 1 }) }
        for node in nodes { #expect(node.children.allSatisfy { $0.parent?.children.count == 4 }) }
        for person in people { #expect(person.passport?.holder?.passport != nil) }
      }
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Graph.Child>()
      descriptor.relationshipKeyPathsForPrefetching = [\.parent]
      let children = try context.fetch(descriptor)
      let parents = try context.fetch(FetchDescriptor<Graph.Parent>())
      let students = try context.fetch(FetchDescriptor<Graph.Student>())
      let nodes = try context.fetch(FetchDescriptor<Graph.Node>())
      let people = try context.fetch(FetchDescriptor<Graph.Person>())
      if !isReadLater { read(parents, students, nodes, people) }
      (parent, child, student) = (parents[0], children[0], students[0])
      (node, person) = (nodes[0], people[0])
      let kept = (parents, children, students, nodes, people)
      try {
        // The last reference to the context is released in between.
        let models = try fetched(container, prefetching: [\Graph.Parent.children])
        if isReadLater { read(models, [], [], []) }
        #expect(models.count == 5)
      }()
      withExtendedLifetime(kept) {}
    }()
    #expect(parent == nil && child == nil && student == nil && node == nil && person == nil)
    try {
      let parents: [Graph.Parent] = try fetched(container)
      let students: [Graph.Student] = try fetched(container)
      let nodes: [Graph.Node] = try fetched(container)
      let people: [Graph.Person] = try fetched(container)
      for _ in 0..<2 {
        #expect(parents.allSatisfy { $0.children.allSatisfy { $0.parent?.children.count == 3 } })
        #expect(students.allSatisfy { $0.courses.first?.students.first?.courses.count == 1 })
        #expect(nodes.dropFirst().allSatisfy { $0.parent?.children.first?.parent != nil })
        #expect(people.allSatisfy { $0.passport?.holder?.passport?.holder != nil })
      }
      (parent, child, student) = (parents[0], parents[0].children[0], students[0])
      (node, person) = (nodes[1], people[0])
    }()
    #expect(parent == nil && child == nil && student == nil && node == nil && person == nil)
  }
}
