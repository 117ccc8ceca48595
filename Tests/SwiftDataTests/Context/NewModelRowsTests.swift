import Foundation
import SwiftData
import Testing

/// New models of which many wait for their first save: their values move into rows.
@Suite(.databases) struct NewModelRowsTests {
  @Model final class Measure {
    var name: String
    var count: Int
    var small: Int8
    var ratio: Double
    var single: Float
    var isOn: Bool
    var date: Date
    var key: UUID
    var bytes: Data
    var note: String?
    var score: Double?

    init(_ number: Int) {
      name = String(repeating: "é", count: number % 20) + "\(number)"
      count = -number
      small = Int8(truncatingIfNeeded: number)
      ratio = Double(number) / 3
      single = Float(number) / 7
      isOn = number.isMultiple(of: 2)
      date = Date(timeIntervalSinceReferenceDate: Double(number))
      key = UUID(uuid: (UInt8(number % 256), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
      bytes = Data(repeating: 7, count: number % 5)
      note = number.isMultiple(of: 3) ? nil : "note \(number), longer than a small string"
      score = number.isMultiple(of: 4) ? nil : Double(number)
    }

    var values: [String] {
      [
        name, "\(count)", "\(small)", "\(ratio)", "\(single)", "\(isOn)",
        "\(date.timeIntervalSinceReferenceDate)", "\(key)", "\(Array(bytes))", note ?? "nil",
        score.map { "\($0)" } ?? "nil",
      ]
    }
  }

  private struct Failure: Error {}

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([Measure.self]),
        configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
  }

  private func insert(_ count: Int, in context: ModelContext) -> [Measure] {
    (0..<count).map { number in
      let measure = Measure(number)
      context.insert(measure)
      return measure
    }
  }

  private func stored(_ context: ModelContext) throws -> [Measure] {
    try ModelContext(context.container)
      .fetch(FetchDescriptor<Measure>(sortBy: [SortDescriptor(\.count, order: .reverse)]))
  }

  private func agree(_ measures: [Measure], _ numbers: Range<Int>) -> Bool {
    measures.map(\.values) == numbers.map { Measure($0).values }
  }

  @Test func allValuesAreReadBeforeAndAfterTheSave() throws {
    let context = try context()
    let measures = insert(60, in: context)
    #expect(agree(measures, 0..<60))
    try context.save()
    #expect(agree(measures, 0..<60))
    #expect(agree(try stored(context), 0..<60))
    #expect(try context.fetch(FetchDescriptor<Measure>()).count == 60)
    #expect(agree(measures, 0..<60))
  }

  @Test func editsOfNewModelsAreSaved() throws {
    let context = try context()
    let measures = insert(60, in: context)
    for measure in measures {
      measure.name += "!"
      measure.note = nil
    }
    #expect(measures[5].name == Measure(5).name + "!" && measures[5].count == -5)
    try context.save()
    let found = try stored(context)
    #expect(found.map(\.name) == (0..<60).map { Measure($0).name + "!" })
    #expect(found.allSatisfy { $0.note == nil })
    #expect(found.map(\.score) == (0..<60).map { Measure($0).score })
  }

  @Test func fetchesFindNewModelsByTheirValues() throws {
    let context = try context()
    let measures = insert(60, in: context)
    let found = try context.fetch(
      FetchDescriptor<Measure>(predicate: #Predicate { $0.count == -7 }))
    #expect(found.count == 1 && found.first === measures[7])
  }

  @Test func aRollbackLeavesTheValues() throws {
    let context = try context()
    let measures = insert(60, in: context)
    context.rollback()
    #expect(agree(measures, 0..<60))
    for measure in measures { context.insert(measure) }
    try context.save()
    #expect(agree(try stored(context), 0..<60))
  }

  @Test func aFailedTransactionLeavesTheValues() throws {
    let context = try context()
    var measures: [Measure] = []
    #expect(throws: Failure.self) {
      try context.transaction {
        measures = insert(60, in: context)
        try context.save()
        measures[3].name = "edited"
        throw Failure()
      }
    }
    #expect(try stored(context).isEmpty)
    #expect(agree(measures, 0..<60))
    for measure in measures { context.insert(measure) }
    try context.save()
    #expect(agree(try stored(context), 0..<60))
  }

  @Test func valuesThatDoNotFitARowAreKept() throws {
    let context = try context()
    let text = String(repeating: "long ", count: 1000)
    let measures = insert(3, in: context)
    measures[0].name = text
    measures[1].ratio = .nan
    _ = insert(40, in: context)
    #expect(measures[0].name == text && measures[1].ratio.isNaN)
    try context.save()
    #expect(try stored(context).contains { $0.name == text })
  }

  @Test func aDateThatIsNotANumberIsRefused() throws {
    let context = try context()
    let measure = Measure(1)
    measure.date = Date(timeIntervalSinceReferenceDate: .nan)
    context.insert(measure)
    _ = insert(40, in: context)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    measure.date = Date(timeIntervalSinceReferenceDate: 1)
    try context.save()
    #expect(try stored(context).count == 41)
  }

  @Test func aConflictAmongManyNewRowsConcernsOnlyItsRow() throws {
    let context = try Upserting.context()
    let old = Upserting.Seat("a", 500, guest: "old")
    context.insert(old)
    try context.save()
    let seats = (0..<150).map { Upserting.Seat("a", $0 == 77 ? 500 : $0, guest: "guest \($0)") }
    for seat in seats { context.insert(seat) }
    try context.save()
    #expect(old.guest == "guest 77" && seats[77].persistentModelID == old.persistentModelID)
    #expect(Set(seats.map(\.persistentModelID)).count == 150)
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Upserting.Seat>(sortBy: [SortDescriptor(\.number)]))
    let expected = seats.sorted { $0.number < $1.number }
    #expect(found.map(\.number) == expected.map(\.number))
    #expect(found.map(\.guest) == expected.map(\.guest))
    #expect(found.map(\.persistentModelID) == expected.map(\.persistentModelID))
  }

  @Test func newAndStoredUniqueValuesAlternate() throws {
    let context = try Upserting.context()
    for number in 0..<40 { context.insert(Upserting.Seat("a", number, guest: "first")) }
    try context.save()
    // Runs of 1, 2, 3, … merged models, each followed by a new one.
    var expected: [Int: String] = Dictionary(
      uniqueKeysWithValues: (0..<40).map { ($0, "first") })
    var (length, next, merged) = (1, 100, 0)
    for _ in 0..<14 {
      for _ in 0..<length {
        context.insert(Upserting.Seat("a", merged % 40, guest: "run \(length)"))
        expected[merged % 40] = "run \(length)"
        merged += 1
      }
      context.insert(Upserting.Seat("a", next, guest: "new"))
      expected[next] = "new"
      next += 1
      length += 1
    }
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Upserting.Seat>())
    #expect(found.count == expected.count)
    #expect(found.allSatisfy { $0.guest == expected[$0.number] })
  }
}
