import Foundation
import SwiftData
import Testing

/// Models that a fetch returns again keep the related models that are in memory and still right.
@Suite(.databases) struct RefetchTests {
  private let recorder = StatementRecorder()
  private typealias Parent = Graph.Parent
  private typealias Child = Graph.Child

  private func filled() throws -> ModelContext {
    let container = try recorder.container(Graph.types)
    let context = ModelContext(container)
    for number in 0..<4 {
      let parent = Parent("\(number)")
      context.insert(parent)
      parent.children = (0..<2).map { Child("\(number).\($0)") }
    }
    try context.save()
    let reader = ModelContext(container)
    reader.autosaveEnabled = false
    return reader
  }

  private func fetch<T: PersistentModel>(
    _ context: ModelContext, prefetching keyPaths: [PartialKeyPath<T>] = [], limit: Int? = nil
  ) throws -> [T] {
    var descriptor = FetchDescriptor<T>(sortBy: [SortDescriptor(\.persistentModelID)])
    descriptor.relationshipKeyPathsForPrefetching = keyPaths
    descriptor.fetchLimit = limit
    return try context.fetch(descriptor)
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

  @Test(.sqliteOnly("PostgreSQL has no state to compare")) func listsStayWhileNothingIsWritten()
    throws
  {
    let context = try filled()
    let parents = try fetch(context, prefetching: [\Parent.children])
    func read() -> Int { statements { #expect(parents.flatMap(\.children).count == 8) } }
    _ = try fetch(context) as [Parent]
    #expect(read() == 0)
    _ = try fetch(context, limit: 1) as [Parent]
    try context.enumerate(FetchDescriptor<Parent>(), batchSize: 2) {
      #expect($0.children.count == 2)
    }
    var names = FetchDescriptor<Parent>()
    names.propertiesToFetch = [\.name]
    _ = try context.fetch(names)
    #expect(read() == 0)
    let again = try statements { _ = try fetch(context, prefetching: [\Parent.children]) }
    #expect(again == 1)
    // Lists that were read one by one.
    let other = ModelContext(context.container)
    let others: [Parent] = try fetch(other)
    try expectStatements(4) { #expect(others.flatMap(\.children).count == 8) }
    _ = try fetch(other) as [Parent]
    try expectStatements(0) { #expect(others.flatMap(\.children).count == 8) }
  }

  @Test func aListThatAnotherWriterChangesIsReadAgain() throws {
    let context = try filled()
    let parents = try fetch(context, prefetching: [\Parent.children])
    let names = { parents.map { $0.children.map(\.name).sorted() } }
    let other = ModelContext(context.container)
    let theirs: [Parent] = try fetch(other)
    other.insert(Child("new", parent: theirs[0]))
    other.delete(theirs[1].children[0])
    theirs[2].children[0].parent = theirs[3]
    try other.save()
    _ = try fetch(context) as [Parent]
    let expected = theirs.map { $0.children.map(\.name).sorted() }
    #expect(names() == expected && expected.map(\.count) == [3, 1, 1, 3])
    try context.delete(model: Child.self, where: #Predicate { $0.name == "new" })
    _ = try fetch(context) as [Parent]
    #expect(names().map(\.count) == [2, 1, 1, 3])
  }

  @Test(.sqliteOnly("writes into the file")) func aListThatAnotherContainerChangesIsReadAgain()
    throws
  {
    let folder = try TemporaryFolder()
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(Graph.types), configurations: ModelConfiguration(url: folder.store)))
    }
    let (context, other) = (try open(), try open())
    let parent = Parent("p")
    context.insert(parent)
    parent.children = [Child("a")]
    try context.save()
    let reader = ModelContext(context.container)
    let known = try fetch(reader, prefetching: [\Parent.children])
    let theirs: [Parent] = try fetch(other)
    other.insert(Child("b", parent: theirs[0]))
    try other.save()
    _ = try fetch(reader) as [Parent]
    #expect(known[0].children.map(\.name).sorted() == ["a", "b"])
  }

  @Test func toOnesStayWithTheirKey() throws {
    let context = try filled()
    let children = try fetch(context, prefetching: [\Child.parent])
    _ = try fetch(context) as [Child]
    let names = ["0", "0", "1", "1", "2", "2", "3", "3"]
    try expectStatements(0) { #expect(children.map { $0.parent?.name } == names) }
    let other = ModelContext(context.container)
    let theirs: [Child] = try fetch(other)
    theirs[0].parent = theirs[7].parent
    theirs[1].parent = nil
    theirs[2].name = "renamed"
    try other.save()
    _ = try fetch(context) as [Child]
    #expect(children.map { $0.parent?.name } == ["3", nil, "1", "1", "2", "2", "3", "3"])
    #expect(children[2].name == "renamed")
  }

  @Test func unsavedAndDiscardedChangesOfLists() throws {
    let context = try filled()
    let parents = try fetch(context, prefetching: [\Parent.children])
    parents[0].children.append(Child("unsaved"))
    _ = try fetch(context) as [Parent]
    #expect(parents.map(\.children.count) == [3, 2, 2, 2])
    context.rollback()
    _ = try fetch(context) as [Parent]
    #expect(parents.map(\.children.count) == [2, 2, 2, 2])
    let moved = parents[0].children[0]
    moved.parent = parents[1]
    context.rollback()
    _ = try fetch(context) as [Parent]
    #expect(parents.map(\.children.count) == [2, 2, 2, 2] && moved.parent === parents[0])
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Child("undone", parent: parents[2]))
        try context.save()
        _ = try fetch(context) as [Parent]
        #expect(parents.map(\.children.count) == [2, 2, 3, 2])
        throw Stop()
      }
    }
    _ = try fetch(context) as [Parent]
    #expect(parents.map(\.children.count) == [2, 2, 2, 2])
  }

  /// Fetches from both sides in turn leave no models that retain each other.
  @Test func bothSidesInTurnAreFreed() throws {
    let context = try filled()
    weak var parent: Parent?
    weak var child: Child?
    try {
      for _ in 0..<2 {
        let parents = try fetch(context, prefetching: [\Parent.children])
        let children = try fetch(context, prefetching: [\Child.parent])
        let again: [Parent] = try fetch(context)
        #expect(again.allSatisfy { $0.children.count == 2 })
        _ = try fetch(context, prefetching: [\Parent.children])
        (parent, child) = (parents[0], children[0])
        #expect(child?.parent === parent)
      }
      // What was read one by one is kept for a while.
      let other = ModelContext(context.container)
      #expect(try other.fetchCount(FetchDescriptor<Parent>()) == 4)
    }()
    #expect(parent == nil && child == nil)
  }
}
