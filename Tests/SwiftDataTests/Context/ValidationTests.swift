import Foundation
import SwiftData
import Testing

/// The rules of the schema are judged before any statement runs, and reported all at once.
@Suite(.databases) struct ValidationTests {
  @Model final class Crew {
    @Attribute(.unique) var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Sailor.crew)
    var sailors: [Sailor] = []

    init(_ name: String, sailors: [Sailor] = []) {
      self.name = name
      self.sailors = sailors
    }
  }

  @Model final class Sailor {
    #Unique<Sailor>([\.rank, \.badge])
    var rank: String
    var badge: Int
    var crew: Crew?
    @Relationship var mentor: Captain

    init(_ rank: String, _ badge: Int, mentor: Captain) {
      self.rank = rank
      self.badge = badge
      self.mentor = mentor
    }
  }

  @Model final class Captain {
    var name: String

    init(_ name: String) { self.name = name }
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Crew.self, Sailor.self, Captain.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func crew(_ context: ModelContext, _ count: Int) throws -> Crew {
    let ann = Captain("Ann")
    let crew = Crew("red", sailors: (0..<count).map { Sailor("mate", $0, mentor: ann) })
    context.insert(crew)
    try context.save()
    return crew
  }

  private func failure(_ context: ModelContext) -> String? {
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }?.description
  }

  @Test func countsAreJudgedOfNewModels() throws {
    let context = try context()
    let crew = Crew("red")
    context.insert(crew)
    let text = failure(context)
    #expect(text?.contains("Crew.sailors") == true)
    #expect(text?.contains("0 models") == true)
    let ann = Captain("Ann")
    crew.sailors = (0..<4).map { Sailor("mate", $0, mentor: ann) }
    #expect(failure(context)?.contains("4 models, but must have 1 to 3") == true)
    crew.sailors.removeLast()
    try context.save()
    #expect(try context.count(Sailor.self) == 4)
  }

  @Test func countsAreJudgedWhenMembersComeOneByOneFromTheirSide() throws {
    let context = try context()
    let crew = try crew(context, 3)
    let late = Sailor("mate", 9, mentor: Captain("Bob"))
    late.crew = crew
    #expect(failure(context)?.contains("4 models") == true)
    late.crew = nil
    try context.save()
    for sailor in crew.sailors.dropFirst() { sailor.crew = nil }
    try context.save()
    crew.sailors[0].crew = nil
    #expect(failure(context)?.contains("0 models") == true)
  }

  @Test func countsAreJudgedWhenMembersAreDeleted() throws {
    let context = try context()
    let crew = try crew(context, 1)
    let sailor = crew.sailors[0]
    context.delete(sailor)
    let text = failure(context)
    #expect(text?.contains("Crew.sailors") == true)
    #expect(text?.contains(crew.persistentModelID.description) == true)
    #expect(crew.sailors.count == 1)
    context.delete(crew)
    try context.save()
    #expect(try context.count(Sailor.self) == 0)
  }

  @Test func countsOfAFreshContextAreJudgedWithoutReadingTheListFirst() throws {
    let context = try context()
    _ = try crew(context, 1)
    let other = ModelContext(context.container)
    try #require(try other.fetch(FetchDescriptor<Sailor>()).first).crew = nil
    #expect(failure(other)?.contains("0 models") == true)
    other.rollback()
    other.delete(try #require(try other.fetch(FetchDescriptor<Sailor>()).first))
    #expect(failure(other)?.contains("0 models") == true)
  }

  @Test func allFailuresOfASaveAreReportedTogether() throws {
    let context = try context()
    let crew = try crew(context, 2)
    let sailors = crew.sailors
    context.insert(Crew("empty"))
    let orphan = Sailor("cook", 1, mentor: Captain("Bob"))
    context.insert(orphan)
    context.delete(orphan.mentor)
    sailors[0].badge = 7
    sailors[1].badge = 7
    let text = try #require(failure(context))
    #expect(text.contains("3 validation errors"))
    #expect(text.contains("Crew.sailors"))
    #expect(text.contains("Sailor.mentor"))
    #expect(text.contains("Sailor.rank, badge"))
    #expect(text.contains(orphan.persistentModelID.description))
    for sailor in sailors { #expect(text.contains(sailor.persistentModelID.description)) }
    #expect(try context.count(Crew.self) == 1)
    #expect(context.hasChanges)
    context.rollback()
    #expect(Set(sailors.map(\.badge)) == [0, 1])
    #expect(!context.hasChanges)
  }

  /// The description is a line of a log.
  @Test func aDescriptionNamesTheFirstOfManyFailures() throws {
    let context = try context()
    for number in 0..<500 { context.insert(Crew("empty \(number)")) }
    let error = try #require(thrownError { try context.save() })
    #expect(error.failures.count == 500)
    let lines = error.description.split(separator: "\n")
    #expect(lines.first?.contains("500 validation errors") == true)
    #expect(lines.count == 22 && lines.last?.hasPrefix("- and 480 more") == true)
  }

  @Test func valuesThatMoveOnAreNoCollision() throws {
    let context = try context()
    let sailors = try crew(context, 3).sailors.sorted { $0.badge < $1.badge }
    (sailors[0].badge, sailors[1].badge, sailors[2].badge) = (1, 2, 0)
    try context.save()
    #expect(try context.stored(Sailor.self).map(\.badge).sorted() == [0, 1, 2])
    sailors[0].badge = 5
    sailors[0].rank = "cook"
    sailors[1].badge = 5
    try context.save()
    #expect(try context.count(Sailor.self) == 3)
  }

  @Test(.sqliteOnly("expects the rows of a collision in the error"))
  func aCollisionWithAStoredRowNamesBothRows() throws {
    let context = try context()
    let sailors = try crew(context, 2).sailors
    sailors[0].badge = sailors[1].badge
    let text = try #require(failure(context))
    #expect(text.contains("Sailor.rank, badge"))
    #expect(text.contains(sailors[0].persistentModelID.description))
    #expect(text.contains(sailors[1].persistentModelID.description))
    sailors[0].badge = 8
    try context.save()
  }

  @Test(.sqliteOnly("expects the rows of a collision in the error"))
  func aCollisionWithARowOfAnotherContextNamesIt() throws {
    let context = try context()
    let sailor = try crew(context, 1).sailors[0]
    let other = ModelContext(context.container)
    let taken = Sailor("mate", 50, mentor: Captain("Bob"))
    other.insert(taken)
    try other.save()
    sailor.badge = 50
    #expect(failure(context)?.contains(taken.persistentModelID.description) == true)
    context.rollback()
    #expect(sailor.badge == 0)
  }
}
