import Foundation
import SwiftData
import Testing

/// Unsaved edits of a model that an upsert has made a second instance of its row: each answer has one of the
/// instances, with the edits.
@Suite(.databases) struct PendingDuplicateTests {
  typealias Maker = Upserting.Maker
  typealias Country = Upserting.Country

  private let context: ModelContext
  /// The instance of the first row that was there before the upsert.
  private let first: Maker
  /// The instance that the upsert has made.
  private let second: Maker
  private let other: Maker
  private let byCode = FetchDescriptor<Maker>(sortBy: [SortDescriptor(\.code)])

  init() throws {
    context = try Upserting.context()
    (first, other) = (Maker("a", "one"), Maker("b", "two"))
    context.insert(first)
    context.insert(other)
    first.country = Country("it")
    try context.save()
    second = Maker("a", "imported")
    context.insert(second)
    try context.save()
  }

  private func titles(_ descriptor: FetchDescriptor<Maker>) throws -> [String] {
    try context.fetch(descriptor).map(\.title)
  }

  private func count(_ title: String) throws -> Int {
    try context.fetchCount(FetchDescriptor<Maker>(predicate: #Predicate { $0.title == title }))
  }

  @Test func fetchesHaveTheEditedInstance() throws {
    #expect(try titles(byCode) == ["imported", "two"])
    second.title = "edited"
    #expect(try titles(byCode) == ["edited", "two"])
    #expect(try context.fetch(FetchDescriptor<Maker>()).count == 2)
    #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.code == "a" })) == ["edited"])
    #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.title == "imported" })) == [])
    let registered: Maker? = context.registeredModel(for: first.persistentModelID)
    #expect(registered === second)
    try context.save()
    #expect(first.title == "edited")
    #expect(try titles(byCode) == ["edited", "two"])
  }

  @Test func pagesCountsAndBatchesCountTheRowOnce() throws {
    second.title = "edited"
    var page = byCode
    (page.fetchLimit, page.fetchOffset) = (1, 1)
    #expect(try titles(page) == ["two"])
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Maker>())
    #expect(identifiers.count == 2)
    #expect(Set(identifiers) == [first.persistentModelID, other.persistentModelID])
    #expect(try context.fetchCount(byCode) == 2)
    #expect(try count("edited") == 1)
    #expect(try count("imported") == 0)
    var visited: [String] = []
    try context.enumerate(byCode, batchSize: 1) { visited.append($0.title) }
    #expect(visited == ["edited", "two"])
  }

  @Test func requestsWithoutPendingChangesFindTheStoredRow() throws {
    second.title = "edited"
    var stored = FetchDescriptor<Maker>(predicate: #Predicate { $0.title == "imported" })
    stored.includePendingChanges = false
    #expect(try context.fetch(stored).map(\.code) == ["a"])
    #expect(try context.fetchCount(stored) == 1)
  }

  @Test func theLastEditedOfTwoInstancesIsShown() throws {
    first.title = "first"
    second.rank = 5
    second.title = "second"
    #expect(try titles(byCode) == ["second", "two"])
    #expect(try count("second") == 1)
    #expect(try count("first") == 0)
    #expect(
      try titles(FetchDescriptor(predicate: #Predicate { $0.code == "a" && $0.title.count < 9 }))
        == ["second"])
    try context.save()
    #expect(try titles(byCode) == ["second", "two"])
  }

  @Test func aLaterEditOfAnEditedInstanceIsShownAndStored() throws {
    let country = try #require(first.country)
    first.title = "1"
    second.title = "2"
    #expect(country.makers.map(\.title) == ["2"])
    first.title = "3"
    #expect(try titles(byCode) == ["3", "two"])
    #expect(try count("3") == 1)
    #expect(try count("2") == 0)
    #expect(country.makers.map(\.title) == ["3"])
    second.rank = 7
    first.title = "4"
    try context.save()
    #expect(first.title == "4" && second.title == "4" && first.rank == 7)
    #expect(try titles(byCode) == ["4", "two"])
    let stored = try ModelContext(context.container).fetch(byCode)
    #expect(stored.map(\.title) == ["4", "two"] && stored.map(\.rank) == [7, 1])
  }

  /// Fetches by a value find a model that has moved among the changes.
  @Test func laterEditsAmongManyChangesAreFound() throws {
    for number in 0..<40 { context.insert(Maker("m\(number)", "many")) }
    try context.save()
    for maker in try context.fetch(byCode) where maker.title == "many" { maker.title = "edited" }
    func shown(_ code: String) throws -> [String] {
      try titles(FetchDescriptor(predicate: #Predicate { $0.code == code }))
    }
    first.title = "1"
    second.title = "2"
    #expect(try shown("a") == ["2"])
    first.title = "3"
    #expect(try shown("a") == ["3"])
    first.code = "z"
    #expect(try shown("z") == ["3"])
    #expect(try shown("a") == [])
    #expect(try context.fetchCount(byCode) == 42)
  }

  /// Here the store leaves the predicate to memory.
  @Test func countsBeyondManyPendingModelsAreTheSame() throws {
    try PendingMergeLimit.$named.withValue(0) { () throws in
      second.title = "edited"
      first.title = "first"
      #expect(try count("first") == 1)
      #expect(try count("edited") == 0)
      #expect(try context.fetchCount(FetchDescriptor<Maker>()) == 2)
    }
  }

  @Test func anUndoneEditLeavesTheEditsOfTheOtherInstance() throws {
    let undo = UndoManager()
    undo.groupsByEvent = false
    first.title = "first"
    context.undoManager = undo
    undo.beginUndoGrouping()
    second.title = "second"
    context.processPendingChanges()
    undo.endUndoGrouping()
    #expect(try titles(byCode) == ["second", "two"])
    undo.undo()
    #expect(!second.hasChanges && first.hasChanges)
    #expect(try titles(byCode) == ["first", "two"])
    #expect(try count("first") == 1)
    #expect(try count("imported") == 0)
  }

  @Test func anUndoneEditGivesListsTheOtherInstance() throws {
    let country = try #require(first.country)
    let undo = UndoManager()
    undo.groupsByEvent = false
    first.title = "first"
    context.undoManager = undo
    second.title = "second"
    context.processPendingChanges()
    #expect(country.makers.map(\.title) == ["second"])
    undo.undo()
    #expect(country.makers.map(\.title) == ["first"])
  }

  @Test func anUndoneEditLeavesTheLastOfTheOtherInstances() throws {
    let third = Maker("a", "third")
    context.insert(third)
    try context.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    third.rank = 3
    first.rank = 1
    third.title = "shown"
    context.undoManager = undo
    second.title = "second"
    context.processPendingChanges()
    #expect(try titles(byCode) == ["second", "two"])
    undo.undo()
    #expect(try context.fetch(byCode).first === third)
    // Its earlier edits stay.
    first.title = "first"
    second.title = "second"
    context.processPendingChanges()
    third.title = "last"
    context.processPendingChanges()
    undo.undo()
    #expect(try context.fetch(byCode).first === third)
    try context.save()
    #expect(first.title == "shown" && first.rank == 3)
  }

  @Test func anUndoneDeletionLeavesTheInstanceThatWasEditedLast() throws {
    first.title = "first"
    second.title = "second"
    let undo = UndoManager()
    undo.groupsByEvent = false
    context.undoManager = undo
    for deleted in [first, second] {
      context.delete(deleted)
      context.processPendingChanges()
      undo.undo()
      #expect(first.hasChanges && second.hasChanges)
      #expect(try titles(byCode) == ["second", "two"])
    }
    try context.save()
    #expect(first.title == "second")
    #expect(try titles(byCode) == ["second", "two"])
  }

  @Test func aRollbackShowsTheStoredValues() throws {
    second.title = "edited"
    context.rollback()
    #expect(try titles(byCode) == ["imported", "two"])
    #expect(first.title == "imported" && second.title == "imported")
    first.title = "first"
    #expect(try titles(byCode) == ["first", "two"])
    try context.save()
    #expect(second.title == "first")
  }

  @Test func listsAndPredicatesOverThemHaveTheEditedInstance() throws {
    let country = try #require(first.country)
    #expect(country.makers.map(\.title) == ["imported"])
    second.title = "edited"
    #expect(country.makers.map(\.title) == ["edited"])
    func countries(_ title: String) throws -> Int {
      try context.fetchCount(
        FetchDescriptor<Country>(predicate: #Predicate { $0.makers.contains { $0.title == title } })
      )
    }
    #expect(try countries("edited") == 1)
    #expect(try countries("imported") == 0)
  }

  @Test func anInstanceThatMovesLeavesItsList() throws {
    let (old, new) = (try #require(first.country), Country("fr"))
    context.insert(new)
    #expect(old.makers.count == 1)
    second.country = new
    #expect(old.makers.isEmpty)
    #expect(new.makers.map(\.code) == ["a"])
    try context.save()
    #expect(old.makers.isEmpty && first.country === new && new.makers.count == 1)
  }

  @Test func deletionsByPendingValuesFindTheRow() throws {
    second.title = "edited"
    try context.delete(model: Maker.self, where: #Predicate { $0.title == "edited" })
    #expect(first.isDeleted && second.isDeleted)
    #expect(try titles(byCode) == ["two"])
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Maker>()) == 1)
  }

  @Test func aFailedTransactionLeavesTheInstanceFromBefore() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try context.transaction {
        let new = Maker("b", "new")
        context.insert(new)
        try context.save()
        new.title = "edited"
        #expect(try titles(byCode) == ["imported", "edited"])
        throw Failure()
      }
    }
    #expect(try context.fetch(byCode).map(ObjectIdentifier.init).last == ObjectIdentifier(other))
    #expect(try titles(byCode) == ["imported", "two"])
    other.title = "kept"
    try context.save()
    #expect(try titles(byCode) == ["imported", "kept"])
  }
}

/// A row whose first instance was released, so that a fetch creates another one.
@Suite(.databases) struct ReleasedFirstInstanceTests {
  @Test func theEditedInstanceIsShown() throws {
    let context = try Upserting.context()
    var first: Upserting.Seat? = Upserting.Seat("a", 1, guest: "first")
    context.insert(first!)
    try context.save()
    let second = Upserting.Seat("a", 1, guest: "second")
    context.insert(second)
    try context.save()
    first = nil
    let third = try context.fetch(FetchDescriptor<Upserting.Seat>())
    second.guest = "edited"
    let found = try context.fetch(FetchDescriptor<Upserting.Seat>())
    #expect(found.map(\.guest) == ["edited"])
    try context.save()
    #expect(third.map(\.guest) == ["edited"])
    _ = first
  }
}
