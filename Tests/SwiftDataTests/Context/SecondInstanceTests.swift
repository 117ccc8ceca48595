import Foundation
import SwiftData
import Testing

/// Unsaved edits of an instance that an upsert made the second one of its row: each row is listed once.
@Suite(.databases) struct SecondInstanceTests {
  typealias Maker = Upserting.Maker
  typealias Country = Upserting.Country

  private let context: ModelContext
  private let first: Maker
  private let second: Maker
  private let byTitle = FetchDescriptor<Maker>(sortBy: [SortDescriptor(\.title)])

  init() throws {
    context = try Upserting.context()
    first = Maker("a", "m")
    context.insert(first)
    for title in ["l", "n"] { context.insert(Maker(title, title)) }
    try context.save()
    second = Maker("a", "m")
    context.insert(second)
    try context.save()
    try #require(first.persistentModelID == second.persistentModelID)
  }

  @Test func anEditedSecondInstanceStandsForItsRow() throws {
    second.title = "z"
    let found = try context.fetch(byTitle)
    #expect(found.map(\.title) == ["l", "n", "z"])
    #expect(found.last === second)
    #expect(try context.fetchCount(byTitle) == 3)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Maker>()).count == 3)
    try context.save()
    #expect(try context.fetch(byTitle).map(\.title) == ["l", "n", "z"])
    #expect(first.title == "z")
  }

  @Test(arguments: ["m", "z"]) func conditionsAreJudgedByTheEditedInstance(_ title: String) throws {
    second.title = "z"
    let matching = FetchDescriptor<Maker>(predicate: #Predicate { $0.title == title })
    #expect(try context.fetch(matching).count == (title == "z" ? 1 : 0))
    #expect(try context.fetchCount(matching) == (title == "z" ? 1 : 0))
  }

  @Test func pagesContainTheRowOnce() throws {
    second.title = "a"
    var titles: [String] = []
    for offset in 0..<4 {
      var page = byTitle
      (page.fetchOffset, page.fetchLimit) = (offset, 1)
      titles += try context.fetch(page).map(\.title)
    }
    #expect(titles == ["a", "l", "n"])
  }

  /// The counts behind identifiers, and those that the store makes.
  @Test(arguments: [0, 64]) func countsContainTheRowOnce(_ named: Int) throws {
    second.title = "z"
    let all = FetchDescriptor<Maker>(predicate: #Predicate { $0.title > "a" })
    let count = try PendingMergeLimit.$named.withValue(named) { try context.fetchCount(all) }
    #expect(count == 3)
  }

  @Test func theRegisteredInstanceStandsForItsRowIfBothAreEdited() throws {
    second.note = "second"
    first.note = "first"
    let found = try context.fetch(byTitle)
    #expect(found.count == 3 && found.contains { $0 === first })
    #expect(try context.fetchCount(byTitle) == 3)
  }

  @Test func rowsThatAnEditOfAnotherModelConcernsAreListedOnce() throws {
    let country = Country("fr")
    context.insert(country)
    first.country = country
    try context.save()
    second.note = "edited"
    country.iso = "gb"
    let british = FetchDescriptor<Maker>(predicate: #Predicate { $0.country?.iso == "gb" })
    #expect(try context.fetch(british).map(\.code) == ["a"])
    #expect(try context.fetchCount(british) == 1)
  }

  /// Lists that hold the first instance lose the row, also if they are read after the edit.
  @Test(arguments: [false, true], [false, true])
  func listsFollowAMoveOfTheSecondInstance(isLoaded: Bool, byList: Bool) throws {
    let (france, britain) = (Country("fr"), Country("gb"))
    context.insert(france)
    context.insert(britain)
    first.country = france
    try context.save()
    let other = ModelContext(context.container)
    let countries = FetchDescriptor<Country>(sortBy: [SortDescriptor(\.iso)])
    if isLoaded { #expect(france.makers.count + britain.makers.count == 1) }
    if byList {
      britain.makers.append(second)
    } else {
      second.country = britain
    }
    #expect(france.makers.isEmpty)
    #expect(britain.makers.map(\.code) == ["a"])
    let own = FetchDescriptor<Country>(predicate: #Predicate { !$0.makers.isEmpty })
    #expect(try context.fetch(own).map(\.iso) == ["gb"])
    second.country = france
    #expect(france.makers.map(\.code) == ["a"] && britain.makers.isEmpty)
    second.country = britain
    try context.save()
    #expect(france.makers.isEmpty && first.country === britain)
    #expect(britain.makers.map(\.code) == ["a"])
    #expect(try other.fetch(countries).map(\.makers.count) == [0, 1])
  }

  @MainActor @Test func observersListTheRowOnce() async throws {
    let observer = try ResultsObserver(fetchDescriptor: byTitle, modelContext: context)
    #expect(observer.results.count == 3)
    second.title = "z"
    context.processPendingChanges()
    #expect(observer.results.map(\.title) == ["l", "n", "z"])
    context.rollback()
    context.processPendingChanges()
    #expect(observer.results.map(\.title) == ["l", "m", "n"])
  }
}
