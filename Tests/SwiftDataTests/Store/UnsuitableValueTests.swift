import Foundation
import SwiftData
import Testing

/// Codable values that their types do not accept any more: what reads as nil, and what edits of it do.
@Suite(.databases) struct UnsuitableValueTests {
  enum Graded {
    struct Percentage: Codable, Equatable {
      var value: Int

      init(_ value: Int) { self.value = value }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = try container.decode(Int.self, forKey: .value)
        guard value > 100 else { return }
        throw DecodingError.dataCorruptedError(
          forKey: .value, in: container, debugDescription: "too big")
      }
    }

    @Model final class Score {
      var part: Percentage?
      var parts: [Percentage]?
      var required: [Percentage] = []
      var whole: Set<Int>?
      var name = ""

      init() {}
    }
  }
  typealias Score = Graded.Score

  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Score.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let score = Score()
    (score.part, score.parts, score.required) = (.init(150), [.init(150)], [.init(150)])
    context.insert(score)
    try context.save()
  }

  private func score() throws -> (Score, ModelContext) {
    let context = ModelContext(container)
    return (try #require(try context.fetch(FetchDescriptor<Score>()).first), context)
  }

  /// The properties of the stored model that can't be read.
  private func unreadable() throws -> Set<String> {
    let (score, context) = try score()
    _ = (score.part, score.parts, score.required, score.whole)
    #expect(context.unreadableValues.allSatisfy { $0.reason == .unsuitableValue })
    return Set(context.unreadableValues.map(\.propertyName))
  }

  @Test func optionalValuesAreReported() throws {
    let (score, _) = try score()
    #expect(score.part == nil && score.parts == nil && score.required == [] && score.whole == nil)
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  @Test func aPartOfNilIsNotSet() throws {
    let (score, context) = try score()
    score.part?.value += 1
    score.parts?.append(.init(1))
    score.parts?[0].value = 2
    #expect(!context.hasChanges)
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  @Test func aListIsNotReplacedByAnEditInPlace() throws {
    let (score, context) = try score()
    score.required.append(.init(1))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .storeReadFailure && error?.property == "required")
    context.rollback()
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  @Test func aValueThatIsSetReplacesTheStoredOne() throws {
    let (score, context) = try score()
    #expect(score.part == nil && score.parts == nil && score.required == [])
    (score.part, score.parts, score.required) = (.init(1), [.init(2)], [.init(3)])
    try context.save()
    #expect(context.unreadableValues.isEmpty)
    #expect(try unreadable() == [])
    #expect(try self.score().0.parts == [.init(2)])
  }

  @Test func nilIsStoredIfItIsSetWithoutARead() throws {
    let (score, context) = try score()
    score.part = nil
    #expect(score.parts == nil)
    score.setValue(forKey: \.parts, to: nil)
    try context.save()
    #expect(try unreadable() == ["required"])
  }

  @Test func nilIsStoredAfterAnotherValue() throws {
    let (score, context) = try score()
    #expect(score.part == nil)
    score.part = .init(1)
    score.part = nil
    try context.save()
    #expect(try unreadable() == ["parts", "required"])
  }

  /// What was read says nothing about a value that another context has saved since.
  @Test func nilReplacesAValueThatCameLater() throws {
    let (score, context) = try score()
    #expect(score.part == nil)
    let (other, writer) = try self.score()
    other.part = .init(7)
    try writer.save()
    context.processPendingChanges()
    score.part = nil
    #expect(context.hasChanges)
    try context.save()
    let (stored, _) = try self.score()
    #expect(stored.part == nil)
    #expect(try !unreadable().contains("part"))
  }

  @Test func undoKeepsTheStoredValue() throws {
    let (score, context) = try score()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    (score.part, score.parts, score.required) = (.init(1), [.init(2)], [.init(3)])
    context.processPendingChanges()
    manager.undo()
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  @Test func unknownRawValuesAreKeptToo() throws {
    let container = try ModelContainer(
      for: Unreadable.Record.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let record = Unreadable.Record("first")
    record.maybe = .calm
    writer.insert(record)
    try writer.save()
    try StoredTables(container).execute("UPDATE ZRECORD SET ZMAYBE = 'bored'")
    let context = ModelContext(container)
    let read = try #require(try context.fetch(FetchDescriptor<Unreadable.Record>()).first)
    #expect(read.maybe?.rawValue == nil)
    func nextIfAny(_ mood: inout Unreadable.Mood?) {}
    nextIfAny(&read.maybe)
    try context.save()
    #expect(try StoredTables(container).text("SELECT ZMAYBE FROM ZRECORD") == "bored")
  }
}
