import Foundation
import SwiftData
import Testing

/// A predicate that captured identifiers before the first save means the same models afterwards, in
/// the store and in memory.
@Suite struct TemporaryIdentifierTests {
  @Model final class Harbour {
    var name: String
    @Relationship(inverse: \Boat.harbour) var boats: [Boat] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Boat {
    var name: String
    var harbour: Harbour?

    init(_ name: String) { self.name = name }
  }

  private let container: ModelContainer
  private let context: ModelContext
  private let harbour = Harbour("Lisbon")
  private let boat = Boat("Tejo")

  init() throws {
    container = try ModelContainer(
      for: Harbour.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for model in [Boat("Douro"), boat] { context.insert(model) }
    context.insert(harbour)
    boat.harbour = harbour
  }

  /// Before the save, after it, with an edit, after the next save, and in another context.
  private func check(_ predicate: Predicate<Boat>, line: Int = #line) throws {
    let location = SourceLocation(
      fileID: #fileID, filePath: #filePath, line: line, column: 1)
    func names(in context: ModelContext) throws -> [String] {
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
      let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(count == found.count, sourceLocation: location)
      return found
    }
    #expect(try names(in: context) == ["Tejo"], "new", sourceLocation: location)
    try context.save()
    #expect(try names(in: context) == ["Tejo"], "saved", sourceLocation: location)
    boat.name = "Tejo II"
    #expect(try names(in: context) == ["Tejo II"], "edited", sourceLocation: location)
    harbour.name = "Porto"
    #expect(try names(in: context) == ["Tejo II"], "both edited", sourceLocation: location)
    try context.save()
    #expect(try names(in: context) == ["Tejo II"], "saved again", sourceLocation: location)
    #expect(
      try names(in: ModelContext(container)) == ["Tejo II"], "elsewhere", sourceLocation: location)
    #expect(try predicate.evaluate(boat), "evaluated", sourceLocation: location)
  }

  @Test func ofTheModelItself() throws {
    let own = boat.persistentModelID
    try check(#Predicate { $0.persistentModelID == own })
  }

  @Test func thatMayBeAbsent() throws {
    let own: PersistentIdentifier? = boat.persistentModelID
    try check(#Predicate { $0.persistentModelID == own })
  }

  @Test func thatWasUnwrapped() throws {
    let own: PersistentIdentifier? = boat.persistentModelID
    try check(#Predicate { $0.persistentModelID == own! })
  }

  @Test func byItsID() throws {
    let own = boat.id
    try check(#Predicate { $0.id == own })
  }

  @Test func inAList() throws {
    let own = [boat.persistentModelID]
    try check(#Predicate { own.contains($0.persistentModelID) })
  }

  @Test func inASet() throws {
    let own: Set = [boat.persistentModelID]
    try check(#Predicate { own.contains($0.persistentModelID) })
  }

  @Test func ofARelatedModel() throws {
    let own = harbour.persistentModelID
    try check(#Predicate { $0.harbour?.persistentModelID == own })
  }

  @Test func ofACapturedModel() throws {
    let own = harbour
    try check(#Predicate { $0.harbour == own })
  }

  @Test func ofCapturedModels() throws {
    let own = [boat]
    try check(#Predicate { own.contains($0) })
  }

  @Test func ofAMember() throws {
    let own = boat
    try check(#Predicate { $0.harbour?.boats.contains(own) ?? false })
  }

  @Test func ofAllOthers() throws {
    let own = [boat.persistentModelID, harbour.persistentModelID]
    let other = try #require(
      try context.fetch(FetchDescriptor<Boat>(predicate: #Predicate { $0.name == "Douro" })).first)
    let left = other.persistentModelID
    try check(#Predicate { $0.persistentModelID != left && own.contains($0.persistentModelID) })
  }

  /// An observer judges edits in memory.
  @MainActor @Test func inAnObserver() throws {
    let own = boat.persistentModelID
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Boat>(
        predicate: #Predicate { $0.persistentModelID == own }),
      modelContext: context)
    #expect(observer.results.map(\.name) == ["Tejo"])
    try context.save()
    #expect(observer.results.map(\.name) == ["Tejo"])
    boat.name = "Tejo II"
    #expect(observer.results.map(\.name) == ["Tejo II"])
  }
}
