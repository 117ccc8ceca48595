import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// What a save that fails leaves behind: in its context, in other stores and in other contexts.
@Suite struct FailedSaveTests {
  private struct Refusal: Error {}

  /// A project whose deletion is denied.
  private func deniedProject(in context: ModelContext) -> Graph.Project {
    let project = Graph.Project("project")
    project.tickets = [Graph.Ticket("ticket")]
    context.insert(project)
    return project
  }

  private func names(_ models: [any PersistentModel]) -> [String] {
    models.map { ($0 as? Graph.Child)?.name ?? ($0 as? Graph.Passport)?.number.description ?? "" }
  }

  @Test func whatACascadeTookAlongIsAsBefore() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let (edited, clean) = (Graph.Child("a"), Graph.Child("b"))
    parent.children = [edited, clean]
    context.insert(parent)
    let project = deniedProject(in: context)
    try context.save()
    edited.name = "c"
    let new = Graph.Child("d", parent: parent)
    context.delete(parent)
    context.delete(project)
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(names(context.changedModelsArray).contains("c"))
      #expect(!names(context.changedModelsArray).contains("b"))
      #expect(names(context.insertedModelsArray) == ["d"])
      #expect(!edited.isDeleted && !clean.isDeleted && new.modelContext === context)
    }
    context.insert(parent)
    context.insert(project)
    #expect(!clean.hasChanges)
    try context.save()
    #expect(try context.stored(Graph.Child.self).map(\.name).sorted() == ["b", "c", "d"])
    #expect(try context.stored(Graph.Parent.self).first?.children.count == 3)
  }

  @Test func whatANullificationEmptiedIsAsBefore() throws {
    let context = try Graph.context()
    let people = ["a", "b"].map(Graph.Person.init)
    let (clean, edited) = (Graph.Passport(1), Graph.Passport(2))
    (people[0].passport, people[1].passport) = (clean, edited)
    for person in people { context.insert(person) }
    let project = deniedProject(in: context)
    try context.save()
    edited.number = 3
    for person in people { context.delete(person) }
    context.delete(project)
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(names(context.changedModelsArray) == ["3"])
      #expect(!clean.hasChanges && edited.hasChanges)
      #expect(clean.holder === people[0] && edited.holder === people[1])
    }
    for person in people { context.insert(person) }
    context.insert(project)
    try context.save()
    let stored = try context.stored(Graph.Passport.self)
    #expect(stored.map(\.number).sorted() == [1, 3])
    #expect(stored.allSatisfy { $0.holder != nil })
  }

  @Test func aSaveThatFailsToCommitHidesNoLaterOne() throws {
    let driver = RecordingDriver(.sqlite)
    driver.script = [("Z_PK\", \"t0\".\"ZLABEL", [[.integer(7), .text("low")]])]
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: [RecordingStore.Configuration(driver: driver)])
    let (writer, reader) = (ModelContext(container), ModelContext(container))
    let shelf = try #require(try reader.fetch(FetchDescriptor<Shelf>()).first)
    let own = try #require(try writer.fetch(FetchDescriptor<Shelf>()).first)
    own.label = "top"
    driver.onCommit = { throw Refusal() }
    #expect(throws: Refusal.self) { try writer.save() }
    #expect(own.hasChanges)
    driver.onCommit = nil
    reader.processPendingChanges()
    #expect(shelf.label == "low")
    driver.script = [("Z_PK\", \"t0\".\"ZLABEL", [[.integer(7), .text("top")]])]
    try writer.save()
    reader.processPendingChanges()
    #expect(shelf.label == "top")
  }

  @Test func aStoreWaitsForTheOneThatCommitsFirst() throws {
    let folder = try TemporaryFolder()
    let driver = RecordingDriver(.sqlite)
    let container = try ModelContainer(
      for: Schema([Shelf.self, Book.self, Author.self, Graph.Stop.self]),
      configurations: [
        RecordingStore.Configuration(schema: Schema(Library.types), driver: driver),
        ModelConfiguration("stops", schema: Schema([Graph.Stop.self]), url: folder.store),
      ])
    let context = ModelContext(container)
    context.insert(Shelf(label: "top"))
    context.insert(Graph.Stop("stop"))
    driver.onCommit = { throw Refusal() }
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZSTOP", in: folder.store) == 0)
    driver.onCommit = nil
    try context.save()
    #expect(!context.hasChanges)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ZSTOP", in: folder.store) == 1)
  }
}
