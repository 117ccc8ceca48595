import Foundation
import SwiftData
import Testing

/// A context that refuses conflicts compares what is stored with what it has read, also for properties that another
/// context of its container is known to have stored.
@Suite(.databases) struct ComparedConflictTests {
  @Model final class Task {
    var name = "one"
    var rank: Int?
    var project: Project?
    var note: Note?
    @Relationship(inverse: \Task.parent) var children: [Task] = []
    var parent: Task?

    init() {}
  }

  @Model final class Project {
    @Relationship(inverse: \Task.project) var tasks: [Task] = []

    init() {}
  }

  @Model final class Note {
    @Relationship(inverse: \Task.note) var task: Task?

    init() {}
  }

  private let (context, other): (ModelContext, ModelContext)
  private let (mine, theirs): (Task, Task)

  init() throws {
    let container = try ModelContainer(
      for: Task.self, Project.self, Note.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    (context, other) = (ModelContext(container), ModelContext(container))
    let task = Task()
    other.insert(task)
    task.project = Project()
    try other.save()
    theirs = task
    mine = try #require(try context.fetch(FetchDescriptor<Task>()).first)
    context.conflictPolicy = .refuse
  }

  private func expectConflict(_ names: Set<String>) {
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(Set(error?.conflicts.flatMap { $0.properties.map(\.name) } ?? []) == names)
  }

  @Test func equalValuesAreNoConflict() throws {
    mine.name = "mine"
    theirs.name = "one"
    theirs.rank = nil
    theirs.note = nil
    let project = theirs.project
    theirs.project = project
    theirs.children.removeAll { $0.name == "none" }
    try other.save()
    try context.save()
    other.processPendingChanges()
    #expect(theirs.name == "mine")
  }

  @Test(arguments: [false, true])
  func aChangeBackIsNoConflict(isFetchedBetween: Bool) throws {
    mine.name = "mine"
    let project = theirs.project
    (theirs.name, theirs.rank, theirs.project) = ("theirs", 5, Project())
    theirs.note = Note()
    try other.save()
    if isFetchedBetween { _ = try context.fetch(FetchDescriptor<Task>()) }
    (theirs.name, theirs.rank, theirs.project, theirs.note) = ("one", nil, project, nil)
    try other.save()
    try context.save()
  }

  /// The model shows the new values meanwhile.
  @Test func otherValuesThatTheModelShowsAreAConflict() throws {
    mine.name = "mine"
    (theirs.rank, theirs.project) = (5, Project())
    theirs.note = Note()
    try other.save()
    _ = try context.fetch(FetchDescriptor<Task>())
    #expect(mine.rank == 5)
    for _ in 1...2 { expectConflict(["rank", "project", "note"]) }
    theirs.rank = nil
    try other.save()
    expectConflict(["project", "note"])
  }

  /// The unsaved value of a property that the context has not changed is the one that it has read.
  @Test func aConflictNamesTheValueThatWasRead() throws {
    theirs.rank = 1
    try other.save()
    context.processPendingChanges()
    mine.name = "mine"
    theirs.rank = 2
    try other.save()
    context.processPendingChanges()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    let property = try #require(error?.conflicts.first?.properties.first)
    #expect(property.unsavedValue as? Int == 1 && property.storedValue as? Int == 2)
    #expect(!property.isChanged)
  }

  @Test func aRefusedSaveKeepsTheValuesThatWereRead() throws {
    mine.name = "mine"
    theirs.rank = 5
    try other.save()
    expectConflict(["rank"])
    context.processPendingChanges()
    expectConflict(["rank"])
    theirs.rank = nil
    try other.save()
    try context.save()
  }

  @Test func aRollbackReadsTheValuesAgain() throws {
    mine.name = "mine"
    theirs.rank = 5
    try other.save()
    expectConflict(["rank"])
    context.rollback()
    mine.name = "again"
    theirs.rank = 5
    try other.save()
    try context.save()
    mine.name = "third"
    theirs.rank = nil
    try other.save()
    expectConflict(["rank"])
  }

  @Test func aDeletionComparesToo() throws {
    context.delete(mine)
    theirs.rank = nil
    try other.save()
    theirs.rank = 5
    try other.save()
    expectConflict(["rank"])
    theirs.rank = nil
    try other.save()
    try context.save()
  }

  /// Reading the rest of partial models records what others have stored in the rest. The models are released
  /// (a context keeps some that it has read), and new instances show the stored values.
  @Test(arguments: [false, true])
  func newInstancesShowWhatReleasedOnesHadMissed(isPartial: Bool) throws {
    let all = (0..<1100).map { _ in Task() }
    for task in all {
      task.name = "many"
      other.insert(task)
    }
    try other.save()
    var descriptor = FetchDescriptor<Task>(predicate: #Predicate { $0.name != "one" })
    descriptor.propertiesToFetch = [\.name]
    do {
      let partial = try context.fetch(descriptor)
      for task in all { task.name = "stored" }
      try other.save()
      for task in partial { #expect(task.rank == nil) }
    }
    if !isPartial { descriptor.propertiesToFetch = [] }
    let tasks = try context.fetch(descriptor)
    #expect(tasks.count == all.count && tasks.allSatisfy { $0.name == "stored" })
    for task in tasks { task.rank = 9 }
    try context.save()
    for task in tasks { task.rank = 8 }
    all[0].name = "later"
    try other.save()
    expectConflict(["name"])
  }
}
