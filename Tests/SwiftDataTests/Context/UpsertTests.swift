import Foundation
import SwiftData
import Testing

@Suite(.databases) struct UpsertTests {
  typealias Maker = Upserting.Maker
  typealias Product = Upserting.Product
  typealias Country = Upserting.Country
  typealias Seat = Upserting.Seat

  @Test func theLiveInstanceAndTheNewOneShowTheSameRow() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    old.note = "kept?"
    old.rank = 9
    old.products = [Product("p1")]
    context.insert(old)
    try context.save()
    let new = Maker("a", "new")
    new.products = [Product("p2")]
    context.insert(new)
    try context.save()
    #expect(try context.count(Maker.self) == 1)
    #expect(old.persistentModelID == new.persistentModelID)
    #expect([old.title, new.title] == ["new", "new"])
    #expect(old.rank == 1 && new.rank == 1)
    #expect(old.note == nil && new.note == nil)
    #expect(Set(old.products.map(\.name)) == ["p1", "p2"])
    #expect(Set(new.products.map(\.name)) == ["p1", "p2"])
    let stored = try #require(try context.stored(Maker.self).first)
    #expect(Set(stored.products.map(\.name)) == ["p1", "p2"])
    #expect(stored.title == "new")
    #expect(!context.hasChanges)
  }

  @Test(arguments: [false, true])
  func deletingOneInstanceDeletesTheOther(_ deletesTheFirst: Bool) throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    let new = Maker("a", "new")
    context.insert(new)
    try context.save()
    context.delete(deletesTheFirst ? old : new)
    try context.save()
    for model in [old, new] {
      #expect(model.isDeleted && model.modelContext == nil)
      let known: Maker? = context.registeredModel(for: model.persistentModelID)
      #expect(known?.isDeleted == true)
    }
    #expect(try context.count(Maker.self) == 0)
    context.insert(new)
    try context.save()
    #expect(new.modelContext === context && !new.isDeleted)
    #expect(try context.count(Maker.self) == 1)
  }

  /// The first instance of a row and a duplicate, in one order or the other.
  private func twoInstances(
    _ startsWithTheDuplicate: Bool
  ) throws -> (context: ModelContext, one: Maker, other: Maker) {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    let new = Maker("a", "new")
    new.products = [Product("p")]
    context.insert(new)
    try context.save()
    return startsWithTheDuplicate ? (context, new, old) : (context, old, new)
  }

  @Test(arguments: [false, true])
  func membersAreRemovedThroughEachInstance(_ order: Bool) throws {
    func names(_ edit: (Maker) -> Void) throws -> [String] {
      let (context, one, other) = try twoInstances(order)
      one.products.append(Product("q"))
      try context.save()
      edit(one)
      try context.save()
      let makers = [one, other] + (try context.stored(Maker.self))
      let lists = makers.map { $0.products.map(\.name).sorted() }
      #expect(Set(lists).count == 1)
      let products = try context.stored(Product.self)
      #expect(products.filter { $0.maker != nil }.map(\.name).sorted() == lists[0])
      return lists[0]
    }
    #expect(try names { $0.products = [] } == [])
    #expect(try names { $0.products.removeAll { $0.name == "p" } } == ["q"])
    #expect(try names { $0.products = [Product("n")] } == ["n"])
    #expect(try names { for product in $0.products { product.maker = nil } } == [])
  }

  @Test(arguments: [false, true])
  func aPendingDeletionConcernsAllInstances(_ order: Bool) throws {
    let (context, one, other) = try twoInstances(order)
    other.title = "edited before"
    context.delete(one)
    #expect(one.isDeleted && other.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(context.changedModelsArray.isEmpty)
    other.title = "edited after"
    #expect(context.changedModelsArray.isEmpty)
    #expect(try context.fetch(FetchDescriptor<Maker>()).isEmpty)
    try context.save()
    for model in [one, other] { #expect(model.isDeleted && model.modelContext == nil) }
    #expect(try context.count(Maker.self) == 0 && context.count(Product.self) == 0)
  }

  @Test(arguments: [false, true])
  func aDeletionIsTakenBackForAllInstances(_ order: Bool) throws {
    let (context, one, other) = try twoInstances(order)
    func expectBothPresent() throws {
      for model in [one, other] {
        #expect(!model.isDeleted && !model.hasChanges && model.modelContext === context)
        #expect(model.title == "new")
      }
      #expect(!context.hasChanges)
      #expect(try context.fetchCount(FetchDescriptor<Maker>()) == 1)
    }
    context.delete(one)
    context.rollback()
    try expectBothPresent()
    context.delete(one)
    context.insert(other)
    try expectBothPresent()
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    undo.beginUndoGrouping()
    context.delete(other)
    context.processPendingChanges()
    undo.endUndoGrouping()
    #expect(one.isDeleted && other.isDeleted)
    undo.undo()
    try expectBothPresent()
    undo.redo()
    #expect(one.isDeleted && other.isDeleted)
    undo.undo()
    try expectBothPresent()
    one.title = "still editable"
    try context.save()
    #expect(other.title == "still editable")
  }

  @Test func aDeletionElsewhereConcernsAllInstances() throws {
    let (context, one, other) = try twoInstances(false)
    let elsewhere = ModelContext(context.container)
    elsewhere.delete(try #require(try elsewhere.fetch(FetchDescriptor<Maker>()).first))
    try elsewhere.save()
    context.processPendingChanges()
    for model in [one, other] { #expect(model.isDeleted && model.modelContext == nil) }
    try context.save()
  }

  @Test(arguments: [false, true])
  func aBatchDeletionConcernsAllInstances(isOfContext: Bool) throws {
    let (context, one, other) = try twoInstances(false)
    let deleting = isOfContext ? context : ModelContext(context.container)
    try deleting.delete(model: Maker.self)
    try deleting.save()
    context.processPendingChanges()
    for model in [one, other] { #expect(model.isDeleted && model.modelContext == nil) }
  }

  @Test func aBatchDeletionOfMembersConcernsAllInstances() throws {
    let (context, one, other) = try twoInstances(false)
    one.products = [Product("p")]
    try context.save()
    #expect([one, other].map(\.products.count) == [1, 1])
    try context.delete(model: Product.self)
    try context.save()
    #expect([one, other].map(\.products.count) == [0, 0])
  }

  /// Nobody tells the context of the other container's save; the fetch finds the row.
  @Test func aFetchedRowConcernsAllInstances() throws {
    let folder = try TemporaryFolder()
    func container() throws -> ModelContainer {
      try ModelContainer(
        for: Maker.self, Product.self, Country.self, Seat.self,
        configurations: ModelConfiguration(url: folder.store))
    }
    let context = ModelContext(try container())
    let (one, other) = (Maker("a", "one"), Maker("a", "other"))
    for maker in [one, other] {
      context.insert(maker)
      try context.save()
    }
    let theirs = ModelContext(try container())
    let maker = try #require(try theirs.fetch(FetchDescriptor<Maker>()).first)
    maker.title = "theirs"
    maker.products = [Product("p")]
    try theirs.save()
    _ = try context.fetch(FetchDescriptor<Maker>())
    #expect([one, other].map(\.title) == ["theirs", "theirs"])
    #expect([one, other].map(\.products.count) == [1, 1])
  }

  @Test func aToOneThatTheNewModelSetsWins() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    old.country = Country("de")
    context.insert(old)
    try context.save()
    let without = Maker("a", "again")
    context.insert(without)
    try context.save()
    #expect(try context.stored(Maker.self).first?.country?.iso == "de")
    let other = Maker("a", "moved")
    other.country = Country("fr")
    context.insert(other)
    try context.save()
    #expect(try context.stored(Maker.self).first?.country?.iso == "fr")
    #expect(old.country?.iso == "fr")
    let countries = try context.stored(Country.self)
    #expect(countries.first { $0.iso == "de" }?.makers.isEmpty == true)
    #expect(countries.first { $0.iso == "fr" }?.makers.count == 1)
  }

  @Test func twoNewModelsWithOneValueBecomeOneRow() throws {
    let context = try Upserting.context()
    let (first, second) = (Maker("a", "first"), Maker("a", "second"))
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(try context.stored(Maker.self).map(\.title) == ["second"])
    #expect(first.persistentModelID == second.persistentModelID)
    #expect([first.title, second.title] == ["second", "second"])
    #expect(try context.fetch(FetchDescriptor<Maker>()).count == 1)
  }

  @Test func relationshipsToTwoNewModelsWithOneValueLeadToTheOneRow() throws {
    let context = try Upserting.context()
    let (first, second) = (Maker("a", "first"), Maker("a", "second"))
    context.insert(Product("p1", maker: first))
    context.insert(Product("p2", maker: second))
    try context.save()
    let stored = try context.stored(Maker.self)
    #expect(stored.count == 1)
    #expect(Set(stored.first?.products.map(\.name) ?? []) == ["p1", "p2"])
    #expect(try context.stored(Product.self).allSatisfy { $0.maker?.code == "a" })
  }

  @Test func aDownloadedListIsImportedAgainWithoutDuplicates() throws {
    let context = try Upserting.context()
    for round in 0..<3 {
      for index in 0..<20 {
        let country = Country(["de", "fr"][index % 2])
        let maker = Maker("m\(index)", "round \(round)")
        context.insert(maker)
        maker.country = country
      }
      try context.save()
      #expect(try context.count(Maker.self) == 20)
      #expect(try context.count(Country.self) == 2)
      let makers = try context.stored(Maker.self)
      #expect(makers.allSatisfy { $0.title == "round \(round)" && $0.country != nil })
      let countries = try context.stored(Country.self)
      #expect(countries.allSatisfy { $0.makers.count == 10 })
    }
  }

  @Test func aCompoundConstraintUpserts() throws {
    let context = try Upserting.context()
    context.insert(Seat("A", 1, guest: "Ann"))
    context.insert(Seat("A", 2, guest: "Bob"))
    context.insert(Seat("B", 1))
    try context.save()
    context.insert(Seat("A", 2, guest: "Cid"))
    try context.save()
    let seats = try context.stored(Seat.self)
    #expect(seats.count == 3)
    #expect(seats.first { $0.row == "A" && $0.number == 2 }?.guest == "Cid")
    #expect(seats.first { $0.row == "A" && $0.number == 1 }?.guest == "Ann")
  }

  @Test func anEditToATakenValueFailsAndCanBeCorrected() throws {
    let context = try Upserting.context()
    let (a, b) = (Maker("a", "A"), Maker("b", "B"))
    context.insert(a)
    context.insert(b)
    try context.save()
    b.code = "a"
    context.insert(Product("waits"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.description.contains("Maker") == true)
    #expect(error?.description.contains("code") == true)
    #expect(context.changedModelsArray.count == 1)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try context.count(Product.self) == 0)
    b.code = "c"
    try context.save()
    #expect(Set(try context.stored(Maker.self).map(\.code)) == ["a", "c"])
    #expect(try context.count(Product.self) == 1)
  }

  @Test func aValueThatAnotherModelGivesUpIsFree() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    old.code = "b"
    context.insert(Maker("a", "new"))
    try context.save()
    let stored = try context.stored(Maker.self)
    #expect(Set(stored.map { "\($0.code) \($0.title)" }) == ["a new", "b old"])
  }

  @Test func aValueOfADeletedModelIsFree() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    context.delete(old)
    let new = Maker("a", "new")
    context.insert(new)
    try context.save()
    #expect(try context.stored(Maker.self).map(\.title) == ["new"])
    #expect(old.isDeleted)
    #expect(!new.isDeleted)
  }

  @Test func uniqueValuesCanBeSwapped() throws {
    let context = try Upserting.context()
    let (a, b) = (Maker("a", "A"), Maker("b", "B"))
    context.insert(a)
    context.insert(b)
    try context.save()
    (a.code, b.code) = ("b", "a")
    try context.save()
    let stored = try context.stored(Maker.self)
    #expect(Set(stored.map { "\($0.code) \($0.title)" }) == ["b A", "a B"])
  }

  @Test func anEditAndAnUpsertOfOneRowInOneSaveEndEqual() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    old.products = [Product("p1")]
    context.insert(old)
    try context.save()
    old.title = "edited"
    old.note = "edited"
    let new = Maker("a", "new")
    context.insert(new)
    try context.save()
    #expect(old.title == new.title)
    #expect(old.note == new.note)
    let stored = try context.stored(Maker.self)
    #expect(stored.map(\.title) == [old.title])
    #expect(stored.map(\.note) == [old.note])
    #expect(stored.first?.products.count == 1)
    #expect(!context.hasChanges)
  }

  @Test func anUpsertWithoutALiveInstanceIsFetchedOnce() throws {
    let context = try Upserting.context()
    context.insert(Maker("a", "old"))
    try context.save()
    let other = ModelContext(context.container)
    let new = Maker("a", "new")
    other.insert(new)
    try other.save()
    let fetched = try other.fetch(FetchDescriptor<Maker>())
    #expect(fetched.count == 1)
    #expect(fetched.first === new)
    #expect(try context.fetch(FetchDescriptor<Maker>()).map(\.title) == ["new"])
  }

  @Test func renamingAroundACircleIsOneSave() throws {
    let context = try Upserting.context()
    let makers = ["a", "b", "c"].map { Maker($0, $0.uppercased()) }
    for maker in makers { context.insert(maker) }
    try context.save()
    for (maker, code) in zip(makers, ["b", "c", "a"]) { maker.code = code }
    context.insert(Maker("d", "D"))
    try context.save()
    let stored = try context.stored(Maker.self).map { $0.code + $0.title }
    #expect(Set(stored) == ["bA", "cB", "aC", "dD"])
  }

  @Test func membersOfAnUpsertedModelKnowTheLiveInstance() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    let product = Product("p", maker: Maker("a", "new"))
    context.insert(product)
    try context.save()
    #expect(product.maker?.persistentModelID == old.persistentModelID)
    #expect(old.products.first === product)
    product.maker?.title = "through product"
    try context.save()
    #expect(old.title == "through product")
    #expect(try context.stored(Maker.self).map(\.title) == ["through product"])
  }

  @Test func aFailedUpsertChangesNoInstance() throws {
    let context = try Upserting.context()
    let (a, b) = (Maker("a", "A"), Maker("b", "B"))
    context.insert(a)
    context.insert(b)
    try context.save()
    let new = Maker("a", "new")
    context.insert(new)
    b.code = "a"
    do {
      try context.save()
    } catch {
      #expect(a.title == "A")
      #expect(context.insertedModelsArray.count == 1)
      context.rollback()
      #expect(b.code == "b")
    }
    let codes = try context.stored(Maker.self).map(\.code)
    #expect(Set(codes).count == codes.count)
  }
}
