import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A rollback, and a save that fails, leave models exactly as they were.
@Suite struct RestorationTests {
  private func everything() throws -> (ModelContext, Everything) {
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let model = Everything()
    model.place = .init(name: "home", latitude: 1, longitude: 2, tags: ["a"], mood: .wild)
    model.optionalPlace = .init(name: "away", latitude: 3)
    model.wallet = .init(home: .init(name: "w", latitude: 4), coins: 5)
    model.shape = .circle(radius: 2)
    model.strings = ["x", "y"]
    model.optionalURL = URL(string: "https://example.org")
    model.optionalDecimal = 2
    model.optionalDouble = 0.5
    model.fleeting = 8
    context.insert(model)
    try context.save()
    return (context, model)
  }

  private func edit(_ model: Everything) {
    model.place.name = "elsewhere"
    model.optionalPlace = nil
    model.wallet = nil
    model.shape = .named("n")
    model.strings.append("z")
    model.optionalURL = nil
    model.optionalDecimal = nil
    model.optionalDouble = nil
    model.optionalInt = 1
    model.fleeting = 9
  }

  private func check(_ model: Everything) {
    #expect(model.place.name == "home" && model.place.tags == ["a"])
    #expect(model.optionalPlace?.name == "away")
    #expect(model.wallet?.coins == 5)
    #expect(model.shape == .circle(radius: 2))
    #expect(model.strings == ["x", "y"])
    #expect(model.optionalURL?.host() == "example.org")
    #expect(model.optionalDecimal == 2 && model.optionalDouble == 0.5)
    #expect(model.optionalInt == nil)
  }

  @Test func attributesOfAnInsertedModelGoBack() throws {
    let (context, model) = try everything()
    edit(model)
    context.rollback()
    check(model)
    #expect(model.fleeting == 8)
    #expect(!context.hasChanges && !model.hasChanges)
  }

  @Test func attributesOfAFetchedModelGoBack() throws {
    let (first, _) = try everything()
    let context = ModelContext(first.container)
    let model = try #require(try context.fetch(FetchDescriptor<Everything>()).first)
    _ = (model.place, model.strings)
    edit(model)
    context.rollback()
    check(model)
    edit(model)
    context.delete(model)
    context.rollback()
    check(model)
    #expect(!model.isDeleted && context.deletedModelsArray.isEmpty)
  }

  /// The row in memory is older than the last save.
  @Test func valuesGoBackToTheLastSave() throws {
    let (first, _) = try everything()
    let context = ModelContext(first.container)
    let model = try #require(try context.fetch(FetchDescriptor<Everything>()).first)
    edit(model)
    model.string = "saved"
    try context.save()
    model.string = "unsaved"
    model.place.name = "unsaved"
    model.strings = []
    context.rollback()
    #expect(model.string == "saved" && model.place.name == "elsewhere")
    #expect(model.strings == ["x", "y", "z"])
    #expect(model.optionalInt == 1 && model.wallet == nil && model.fleeting == 9)
  }

  /// What another context saved meanwhile, and a fetch has brought, is not undone.
  @Test func aFreshRowStays() throws {
    let (first, model) = try everything()
    let other = ModelContext(first.container)
    try #require(try other.fetch(FetchDescriptor<Everything>()).first).string = "theirs"
    try other.save()
    model.int = 5
    _ = try first.fetch(FetchDescriptor<Everything>())
    first.rollback()
    #expect(model.string == "theirs" && model.int == 0)
    #expect(model.fleeting == 8)
  }

  @Test func theOrderOfAListGoesBack() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    context.insert(parent)
    for number in 0..<5 { parent.children.append(Graph.Child("\(number)")) }
    try context.save()
    let before = parent.children.map(\.name)
    parent.name = "q"
    parent.children.reverse()
    #expect(parent.children.map(\.name) == before.reversed())
    context.rollback()
    #expect(parent.children.map(\.name) == before)
    parent.children.removeFirst()
    parent.children.append(Graph.Child("new"))
    parent.children.swapAt(0, 2)
    context.rollback()
    #expect(parent.children.map(\.name) == before)
    try context.save()
    #expect(try context.count(Graph.Child.self) == 5)
  }

  @Test func displacedModelsAreRestored() throws {
    let context = try Graph.context()
    let (ann, bob) = (Graph.Person("Ann"), Graph.Person("Bob"))
    let (first, second) = (Graph.Passport(1), Graph.Passport(2))
    ann.passport = first
    bob.passport = second
    context.insert(ann)
    context.insert(bob)
    try context.save()
    second.holder = ann
    context.delete(bob)
    context.rollback()
    #expect(ann.passport === first && first.holder === ann)
    #expect(bob.passport === second && second.holder === bob)
  }

  @Test func newModelsKeepTheirValuesAndTheirIdentity() throws {
    let context = try Graph.context()
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    child.toys = [Graph.Toy("t", owner: child)]
    context.insert(parent)
    let identifier = child.persistentModelID
    context.rollback()
    #expect(context.insertedModelsArray.isEmpty && !context.hasChanges)
    #expect(child.modelContext == nil && child.parent === parent && child.name == "c")
    #expect(child.toys?.first?.owner === child)
    child.name = "d"
    #expect(!context.hasChanges)
    context.insert(child)
    #expect(child.persistentModelID == identifier)
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    let stored = try #require(try context.stored(Graph.Child.self).first)
    #expect(stored.name == "d" && stored.parent?.name == "p" && stored.toys?.count == 1)
  }

  enum Fault: CaseIterable { case validation, unique, denial, fullStore }

  @Test(arguments: Fault.allCases) func aFailedSaveChangesNothingAndCanBeCorrected(
    _ fault: Fault
  ) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(Graph.types), configurations: ModelConfiguration(url: folder.store)))
    let store = try #require(context.container.stores.first as? DefaultStore)
    let parent = Graph.Parent("p")
    let child = Graph.Child("c", parent: parent)
    let toy = Graph.Toy("t", owner: child)
    let doomed = Graph.Parent("doomed")
    doomed.children = [Graph.Child("along")]
    let project = Graph.Project("project")
    project.tickets = [Graph.Ticket("ticket")]
    project.memos = [Graph.Memo("memo")]
    let passports = [Graph.Passport(1), Graph.Passport(2)]
    let models: [any PersistentModel] = [toy, doomed, project] + passports
    for model in models { context.insert(model) }
    try context.save()

    parent.name = "edited"
    parent.children.append(Graph.Child("new"))
    context.delete(doomed)
    let person = Graph.Person("person")
    person.passport = passports[0]
    context.insert(person)
    switch fault {
    case .validation: child.toys = []
    case .unique: passports[1].number = 1
    case .denial: context.delete(project)
    case .fullStore:
      for number in 0..<2000 {
        context.insert(Graph.Stop(String(repeating: "\(number)", count: 99)))
      }
      try store.pool.write { try $0.execute("PRAGMA max_page_count = 1") }
    }
    func state() -> [String] {
      func ids(_ models: [any PersistentModel]) -> String {
        models.map { "\($0.persistentModelID)" }.joined(separator: " ")
      }
      return [
        ids(context.insertedModelsArray), ids(context.changedModelsArray),
        ids(context.deletedModelsArray), parent.children.map(\.name).joined(),
        doomed.children.map(\.name).joined(), passports[0].holder?.name ?? "none",
        project.memos.map(\.text).joined(), project.tickets.map(\.title).joined(),
        "\(context.hasChanges)",
      ]
    }
    let before = state()
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try context.save() }
      #expect(state() == before)
    }
    switch fault {
    case .validation: toy.owner = child
    case .unique: passports[1].number = 3
    case .denial: project.tickets = []
    case .fullStore: try store.pool.write { try $0.execute("PRAGMA max_page_count = 1000000") }
    }
    try context.save()
    #expect(!context.hasChanges)
    #expect(try context.stored(Graph.Parent.self).map(\.name) == ["edited"])
    #expect(Set(try context.stored(Graph.Child.self).map(\.name)) == ["c", "new"])
    #expect(try context.stored(Graph.Person.self).first?.passport?.number == 1)
    #expect(try context.count(Graph.Project.self) == (fault == .denial ? 0 : 1))
  }
}
