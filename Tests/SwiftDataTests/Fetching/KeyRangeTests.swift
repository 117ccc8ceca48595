import Foundation
import SwiftData
import Testing

/// Batches of rows whose keys are close together are read as a range of the table.
@Suite(.databases) struct KeyRangeTests {
  private let recorder = StatementRecorder()

  private func container(_ count: Int) throws -> ModelContainer {
    let container = try recorder.container(Library.types)
    let context = ModelContext(container)
    for number in 0..<count { context.insert(Author(name: String(format: "%04d", number))) }
    try context.save()
    return container
  }

  @Test func keysAreARangeIfTheyAscendAndMostAreThere() {
    #expect(RowKeyRange(Array(1...64)) != nil)
    #expect(RowKeyRange(Array(1...63)) == nil)
    #expect(RowKeyRange(Array((1...64).reversed())) == nil)
    #expect(RowKeyRange((1...64).map { Int64($0 % 63) }) == nil)
    #expect(RowKeyRange((0..<100).map { Int64($0 * 2) }) != nil)
    #expect(RowKeyRange((0..<100).map { Int64($0 * 3) }) == nil)
    #expect(RowKeyRange([.min] + Array(0..<100)) == nil)
    #expect(RowKeyRange(Array(0..<100) + [.max]) == nil)
  }

  @Test func aCursorFindsTheKeysAmongThoseOfTheRows() {
    let wanted = (0..<100).map { Int64($0 * 2) }
    var cursor = RowKeyRange.Cursor(RowKeyRange(wanted))
    #expect((Int64(0)..<300).filter { cursor.contains($0) } == wanted)
    var all = RowKeyRange.Cursor(nil)
    #expect((Int64(0)..<10).allSatisfy { all.contains($0) })
  }

  @Test(.sqliteOnly("counts statements")) func rowsOutsideOfTheFetchAreSkipped() throws {
    let context = ModelContext(try container(400))
    let wanted = (0..<400).filter { $0 % 2 == 0 }.map { String(format: "%04d", $0) }
    let even = FetchDescriptor<Author>(predicate: #Predicate { wanted.contains($0.name) })
    var names: [String] = []
    let statements = try recorder.during {
      try context.enumerate(even, batchSize: 100) { names.append($0.name) }
    }
    #expect(names == wanted)
    let read = statements.dropFirst()
    #expect(read.count == 2)
    #expect(read.allSatisfy { $0.sql.contains("<=") && !$0.sql.contains("json_each") })
  }

  @Test(.sqliteOnly("counts statements")) func anotherOrderIsReadByKeys() throws {
    let context = ModelContext(try container(200))
    let descending = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    var names: [String] = []
    let statements = try recorder.during {
      try context.enumerate(descending) { names.append($0.name) }
    }
    #expect(names == (0..<200).reversed().map { String(format: "%04d", $0) })
    #expect(statements.last?.sql.contains("json_each") == true)
  }

  /// The fetch determines the models: a row that is deleted meanwhile leaves a gap, and a row in its
  /// place does not appear.
  @Test(.sqliteOnly("counts statements")) func rowsThatAreDeletedMeanwhileLeaveGaps() throws {
    let container = try container(300)
    let context = ModelContext(container)
    var names: [String] = []
    try context.enumerate(FetchDescriptor<Author>(), batchSize: 100) { author in
      names.append(author.name)
      guard author.name == "0050" else { return }
      let other = ModelContext(container)
      try other.delete(model: Author.self, where: #Predicate { $0.name.hasSuffix("5") })
      other.insert(Author(name: "new"))
      try other.save()
    }
    let expected = (0..<300).filter { $0 < 100 || $0 % 10 != 5 }.map { String(format: "%04d", $0) }
    // The first batch was in memory when its rows were deleted.
    #expect(names.filter { $0 > "0099" } == expected.filter { $0 > "0099" })
    #expect(!names.contains("new"))
  }

  /// Rows of a class with subclasses, in one table.
  @Test func rowsOfSubclassesAreReadInTheirOwnLayout() throws {
    let container = try ModelContainer(
      for: KeyRangeBase.self, KeyRangeLeaf.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<200 {
      if number % 3 == 0 {
        context.insert(KeyRangeLeaf(number: number, text: "leaf \(number)"))
      } else {
        context.insert(KeyRangeBase(number: number))
      }
      try context.save()
    }
    var texts: [String] = []
    let ascending = FetchDescriptor<KeyRangeBase>(sortBy: [SortDescriptor(\.number)])
    try ModelContext(container).enumerate(ascending) { model in
      texts.append((model as? KeyRangeLeaf)?.text ?? "base \(model.number)")
    }
    #expect(texts == (0..<200).map { $0 % 3 == 0 ? "leaf \($0)" : "base \($0)" })
  }
}

@Model class KeyRangeBase {
  var number: Int

  init(number: Int) { self.number = number }
}

@Model final class KeyRangeLeaf: KeyRangeBase {
  var text: String

  init(number: Int, text: String) {
    self.text = text
    super.init(number: number)
  }
}
