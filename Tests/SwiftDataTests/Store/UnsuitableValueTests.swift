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
    (score.part, score.parts, score.required) = (.init(1), [.init(2)], [.init(3)])
    try context.save()
    #expect(context.unreadableValues.isEmpty)
    #expect(try unreadable() == [])
    #expect(try self.score().0.parts == [.init(2)])
  }

  @Test(arguments: ["part", "parts", "required"])
  func aValueThatIsSetAfterAReadIsNotSaved(_ property: String) throws {
    let (score, context) = try score()
    func edit() {
      switch property {
      case "part": score.part = .init((score.part?.value ?? 0) + 1)
      case "parts": score.parts = (score.parts ?? []) + [.init(2)]
      default: score.required = score.required + [.init(3)]
      }
    }
    edit()
    expectRefusal(context, property)
    edit()
    expectRefusal(context, property)
    context.rollback()
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  private func expectRefusal(
    _ context: ModelContext, _ property: String, _ location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      try context.save()
    }
    #expect(error == .storeReadFailure, sourceLocation: location)
    #expect(error?.property == property, sourceLocation: location)
    #expect(
      error?.description.contains("which does not fit its type") == true, sourceLocation: location)
  }

  @Test func afterARefusalAValueMayBeSetWithoutAnotherRead() throws {
    let (score, context) = try score()
    score.required = score.required + [.init(3)]
    expectRefusal(context, "required")
    score.required = [.init(4)]
    try context.save()
    #expect(try unreadable() == ["part", "parts"])
  }

  @Test func anotherContextReplacesAValueThatWasRead() throws {
    let (score, context) = try score()
    #expect(score.required == [])
    let (other, writer) = try self.score()
    other.required = [.init(7)]
    try writer.save()
    context.processPendingChanges()
    score.required += [.init(8)]
    try context.save()
    #expect(try self.score().0.required == [.init(7), .init(8)])
  }

  /// What was read is still what an edit may be made from, if the row is read once more.
  @Test func aFreshRowDoesNotMakeAnEditRight() throws {
    let (score, context) = try score()
    let read = score.required
    score.name = "changed"
    try context.save()
    _ = try context.fetch(FetchDescriptor<Score>())
    context.rollback()
    score.required = read + [.init(1)]
    expectRefusal(context, "required")
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
    score.part = .init(1)
    #expect(score.part != nil)
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

  @Test func redoBringsAnEditBackThatIsNotSaved() throws {
    let (score, context) = try score()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    score.required = score.required + [.init(3)]
    context.processPendingChanges()
    manager.undo()
    manager.redo()
    #expect(score.required == [.init(3)])
    expectRefusal(context, "required")
    manager.undo()
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  /// Only a value that was made from a stand-in is refused, also if an undo brings it back.
  @Test func undoBringsBackWhetherAValueIsSaved() throws {
    let (score, context) = try score()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    score.required.append(.init(3))
    expectRefusal(context, "required")
    context.processPendingChanges()
    for value in [4, 5] {
      score.required = [.init(value)]
      context.processPendingChanges()
    }
    manager.undo()
    #expect(score.required == [.init(4)])
    try context.save()
    #expect(try self.score().0.required == [.init(4)])
    manager.undo()
    #expect(score.required == [.init(3)])
    #expect(throws: SwiftDataError.storeReadFailure) { try context.save() }
    manager.redo()
    #expect(score.required == [.init(4)])
    try context.save()
    #expect(try unreadable() == ["part", "parts"])
  }

  @Test func afterAnUndoOfARefusedEditNothingIsToBeSaved() throws {
    let (score, context) = try score()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    score.required.append(.init(3))
    expectRefusal(context, "required")
    manager.undo()
    #expect(!context.hasChanges)
    try context.save()
    score.name = "changed"
    try context.save()
    #expect(try unreadable() == ["part", "parts", "required"])
  }

  @Test func aValueThatFollowsNilIsStored() throws {
    let (score, context) = try score()
    #expect(score.part == nil && score.parts == nil)
    score.setValue(forKey: \.part, to: nil)
    try context.save()
    score.part = .init(1)
    score.setValue(forKey: \.parts, to: nil)
    score.parts = [.init(2)]
    try context.save()
    #expect(try unreadable() == ["required"])
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

  /// The types of the parts differ in what they decode only, so that nothing is migrated.
  enum Before {
    struct Part: Codable, Hashable { var value: Int }

    @Model final class Store {
      var number = 1
      var list: [Part] = [Part(value: 150)]
      var set: Set<Part> = [Part(value: 150)]
      var map: [String: Part] = ["k": Part(value: 150)]
      var part: Part = Part(value: 150)
      @Attribute(.codable) var whole: Part = Part(value: 150)
      @Attribute(.externalStorage) var large: [Part] = Array(
        repeating: Part(value: 150), count: 20_000)

      init() {}
    }
  }

  enum After {
    struct Part: Codable, Hashable {
      var value: Int

      init(value: Int) { self.value = value }

      init(from decoder: any Decoder) throws {
        value = try Graded.Percentage(from: decoder).value
      }
    }

    @Model final class Store {
      var number = 1
      var list: [Part] = []
      var set: Set<Part> = []
      var map: [String: Part] = [:]
      var part: Part = Part(value: 0)
      @Attribute(.codable) var whole: Part = Part(value: 0)
      @Attribute(.externalStorage) var large: [Part] = []

      init() {}
    }
  }

  @Test(arguments: ["list", "set", "map", "part", "whole", "large"])
  func anEditOfAPartKeepsTheStoredValue(_ property: String) throws {
    let folder = try TemporaryFolder()
    func open<T: PersistentModel>(_ type: T.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: type, configurations: ModelConfiguration(url: folder.store)))
    }
    let maker = try open(Before.Store.self)
    maker.insert(Before.Store())
    try maker.save()
    do {
      let context = try open(After.Store.self)
      let model = try #require(try context.fetch(FetchDescriptor<After.Store>()).first)
      switch property {
      case "list": model.list += [.init(value: 7)]
      case "set": model.set.insert(.init(value: 7))
      case "map": model.map["z"] = .init(value: 7)
      case "part": model.part.value = 9
      case "whole": model.whole.value += 1
      default: model.large.append(.init(value: 7))
      }
      expectRefusal(context, property)
      #expect(context.unreadableValues.map(\.reason) == [.unsuitableValue])
      context.rollback()
      model.number = 2
      try context.save()
    }
    let stored = try #require(
      try open(Before.Store.self).fetch(FetchDescriptor<Before.Store>()).first)
    let part = Before.Part(value: 150)
    #expect(stored.number == 2 && stored.list == [part] && stored.set == [part])
    #expect(stored.map == ["k": part] && stored.part == part && stored.whole == part)
    #expect(stored.large.count == 20_000)
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
