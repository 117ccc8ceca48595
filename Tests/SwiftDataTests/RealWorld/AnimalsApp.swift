import Foundation
import SwiftData
import Testing

/// A collection of animals by category: an editor that saves or cancels, and the three ways to
/// delete.
enum AnimalsApp {
  @Model final class Category {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Creature.category) var creatures: [Creature] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Creature {
    enum Diet: String, Codable, CaseIterable { case plants, meat, both }

    var name: String
    var diet: Diet
    var category: Category?

    init(_ name: String, _ diet: Diet) {
      self.name = name
      self.diet = diet
    }
  }

  /// A form over one animal, new or not. It works in a context of its own, so that the list behind
  /// it shows nothing before it is saved.
  struct Editor {
    let context: ModelContext
    let creature: Creature

    init(_ container: ModelContainer, editing identifier: PersistentIdentifier? = nil) {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      self.context = context
      let known = identifier.flatMap { context.model(for: $0) as? Creature }
      creature = known ?? Creature("", .both)
      if known == nil { context.insert(creature) }
    }

    var title: String { context.insertedModelsArray.isEmpty ? "Edit animal" : "Add animal" }

    func choose(_ category: String) throws {
      creature.category = try context.fetch(
        FetchDescriptor<Category>(predicate: #Predicate { $0.name == category })
      ).first
    }

    func save() throws { try context.save() }

    func cancel() { context.rollback() }
  }
}

@Suite(.databases) struct AnimalsAppTests {
  typealias Category = AnimalsApp.Category
  typealias Creature = AnimalsApp.Creature

  let container: ModelContainer
  let list: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Category.self, Creature.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    list = ModelContext(container)
    let animals: KeyValuePairs<String, [(String, Creature.Diet)]> = [
      "Mammals": [("Otter", .meat), ("Badger", .both), ("Hare", .plants)],
      "Birds": [("Heron", .meat), ("Finch", .plants)],
      "Reptiles": [],
    ]
    for (name, creatures) in animals {
      let category = Category(name)
      list.insert(category)
      category.creatures = creatures.map { Creature($0, $1) }
    }
    try list.save()
  }

  private func names(_ category: String? = nil) throws -> [String] {
    let all = try list.fetch(FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)]))
    return all.filter { category == nil || $0.category?.name == category }.map(\.name)
  }

  private func creature(_ name: String) throws -> Creature {
    let descriptor = FetchDescriptor<Creature>(predicate: #Predicate { $0.name == name })
    return try #require(try list.fetch(descriptor).first)
  }

  @Test func theEditorAddsAnAnimalWhenItIsSaved() throws {
    let editor = AnimalsApp.Editor(container)
    #expect(editor.title == "Add animal")
    editor.creature.name = "Newt"
    editor.creature.diet = .meat
    try editor.choose("Reptiles")
    #expect(try names("Reptiles") == [])
    try editor.save()
    #expect(editor.title == "Edit animal")
    #expect(try names("Reptiles") == ["Newt"])
    #expect(try creature("Newt").category?.creatures.count == 1)
  }

  @Test func aCancelledEditorLeavesNothing() throws {
    let editor = AnimalsApp.Editor(container)
    editor.creature.name = "Newt"
    try editor.choose("Reptiles")
    editor.cancel()
    #expect(!editor.context.hasChanges)
    try editor.save()
    #expect(try names().count == 5)
    #expect(try names("Reptiles") == [])
  }

  @Test func theEditorChangesAnAnimalThatTheListShows() throws {
    let otter = try creature("Otter")
    let editor = AnimalsApp.Editor(container, editing: otter.persistentModelID)
    #expect(editor.title == "Edit animal" && editor.creature !== otter)
    editor.creature.name = "Sea otter"
    try editor.choose("Birds")
    #expect(otter.name == "Otter" && otter.category?.name == "Mammals")
    try editor.save()
    #expect(try names("Birds") == ["Finch", "Heron", "Sea otter"])
    #expect(otter.name == "Sea otter" && otter.category?.name == "Birds")
  }

  @Test func aCancelledEditorShowsTheOldValuesAgain() throws {
    let otter = try creature("Otter")
    let editor = AnimalsApp.Editor(container, editing: otter.persistentModelID)
    editor.creature.name = "Sea otter"
    editor.creature.diet = .both
    try editor.choose("Birds")
    editor.cancel()
    #expect(editor.creature.name == "Otter" && editor.creature.diet == .meat)
    #expect(editor.creature.category?.name == "Mammals")
    #expect(try names("Mammals") == ["Badger", "Hare", "Otter"])
  }

  @Test func oneAnimalIsDeleted() throws {
    let hare = try creature("Hare")
    let mammals = try #require(hare.category)
    list.delete(hare)
    try list.save()
    #expect(mammals.creatures.map(\.name).sorted() == ["Badger", "Otter"])
    #expect(try names() == ["Badger", "Finch", "Heron", "Otter"])
  }

  @Test func allAnimalsOfAPredicateAreDeletedAtOnce() throws {
    let finch = try creature("Finch")
    try list.delete(
      model: Creature.self,
      where: #Predicate { $0.category?.name == "Mammals" && $0.name != "Otter" })
    try list.save()
    #expect(try names() == ["Finch", "Heron", "Otter"])
    #expect(!finch.isDeleted)
    try list.delete(model: Creature.self)
    try list.save()
    #expect(try names() == [] && finch.isDeleted)
    #expect(try list.fetchCount(FetchDescriptor<Category>()) == 3)
  }

  @Test func aDeletedCategoryTakesItsAnimalsAlong() throws {
    let heron = try creature("Heron")
    list.delete(try #require(heron.category))
    #expect(list.hasChanges)
    try list.save()
    #expect(try names() == ["Badger", "Hare", "Otter"])
    #expect(heron.isDeleted)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Category>()) == 2)
  }
}
