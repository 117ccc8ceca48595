import Foundation
import SwiftData
import Testing

/// A predicate that captured identifiers before the first save means the same models afterwards, in
/// the store and in memory.
@Suite(.databases) struct TemporaryIdentifierTests {
  typealias Parent = Graph.Parent
  typealias Child = Graph.Child

  private let container: ModelContainer
  private let context: ModelContext
  private let parent = Parent("Ann")
  private let child = Child("Tom")

  init() throws {
    container = try ModelContainer(
      for: Parent.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for model in [Child("Dan"), child] { context.insert(model) }
    context.insert(parent)
    child.parent = parent
  }

  /// Before the save, after it, with an edit, after the next save, and in another context.
  private func check(_ predicate: Predicate<Child>, line: Int = #line) throws {
    let location = SourceLocation(
      fileID: #fileID, filePath: #filePath, line: line, column: 1)
    func names(in context: ModelContext) throws -> [String] {
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
      let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(count == found.count, sourceLocation: location)
      return found
    }
    #expect(try names(in: context) == ["Tom"], "new", sourceLocation: location)
    try context.save()
    #expect(try names(in: context) == ["Tom"], "saved", sourceLocation: location)
    child.name = "Tom II"
    #expect(try names(in: context) == ["Tom II"], "edited", sourceLocation: location)
    parent.name = "Bea"
    #expect(try names(in: context) == ["Tom II"], "both edited", sourceLocation: location)
    try context.save()
    #expect(try names(in: context) == ["Tom II"], "saved again", sourceLocation: location)
    #expect(
      try names(in: ModelContext(container)) == ["Tom II"], "elsewhere", sourceLocation: location)
    #expect(try predicate.evaluate(child), "evaluated", sourceLocation: location)
  }

  @Test func ofTheModelItself() throws {
    let own = child.persistentModelID
    try check(#Predicate { $0.persistentModelID == own })
  }

  @Test func thatMayBeAbsent() throws {
    let own: PersistentIdentifier? = child.persistentModelID
    try check(#Predicate { $0.persistentModelID == own })
  }

  @Test func thatWasUnwrapped() throws {
    let own: PersistentIdentifier? = child.persistentModelID
    try check(#Predicate { $0.persistentModelID == own! })
  }

  @Test func byItsID() throws {
    let own = child.id
    try check(#Predicate { $0.id == own })
  }

  @Test func inAList() throws {
    let own = [child.persistentModelID]
    try check(#Predicate { own.contains($0.persistentModelID) })
  }

  @Test func inASet() throws {
    let own: Set = [child.persistentModelID]
    try check(#Predicate { own.contains($0.persistentModelID) })
  }

  @Test func inADictionary() throws {
    let identifiers = [child.persistentModelID: 1]
    try check(#Predicate { identifiers.keys.contains($0.persistentModelID) })
  }

  @Test func amongTheValuesOfADictionary() throws {
    let identifiers = ["Tom": child.persistentModelID]
    try check(#Predicate { identifiers.values.contains($0.persistentModelID) })
  }

  @Test func ofARelatedModel() throws {
    let own = parent.persistentModelID
    try check(#Predicate { $0.parent?.persistentModelID == own })
  }

  @Test func ofACapturedModel() throws {
    let own = parent
    try check(#Predicate { $0.parent == own })
  }

  @Test func ofCapturedModels() throws {
    let own = [child]
    try check(#Predicate { own.contains($0) })
  }

  @Test func ofAMember() throws {
    let own = child
    try check(#Predicate { $0.parent?.children.contains(own) ?? false })
  }

  @Test func ofAllOthers() throws {
    let own = [child.persistentModelID, parent.persistentModelID]
    let other = try #require(
      try context.fetch(FetchDescriptor<Child>(predicate: #Predicate { $0.name == "Dan" })).first)
    let left = other.persistentModelID
    try check(#Predicate { $0.persistentModelID != left && own.contains($0.persistentModelID) })
  }

  /// An observer judges edits in memory.
  @MainActor @Test func inAnObserver() throws {
    let own = child.persistentModelID
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Child>(
        predicate: #Predicate { $0.persistentModelID == own }),
      modelContext: context)
    #expect(observer.results.map(\.name) == ["Tom"])
    try context.save()
    #expect(observer.results.map(\.name) == ["Tom"])
    child.name = "Tom II"
    #expect(observer.results.map(\.name) == ["Tom II"])
  }
}
