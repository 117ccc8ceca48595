import Foundation
import SwiftData
import Synchronization
import Testing

/// Values that read differently once they are stored do so in the context that saved them, too.
@Suite(.databases) struct InexactValueTests {
  struct Empty: Codable, Equatable {
    var number: Int?
    var text: String?
  }

  struct Money: Codable, Equatable {
    var amount: Double?
    var currency = "EUR"
    var page: URL?
    var note: Empty?
    var required = Empty()
  }

  struct Meters: RawRepresentable, Codable, Equatable { var rawValue: Double }

  struct Point: Codable, Equatable {
    var x: Double
    var y: Double
  }

  @Model final class Sample {
    var name: String
    var number: Double?
    var single: Float?
    var height: Meters?
    var required = 1.0
    var empty: Empty?
    var page: URL?
    var home = URL(string: "https://a.example")!
    var money = Money()
    var point: Point?
    var parent: Sample?

    init(_ name: String) { self.name = name }
  }

  private static let base = URL(string: "https://a.example/b/")!
  private let absolute = URL(string: "https://a.example/b/x")!

  private func spoil(_ sample: Sample) {
    (sample.number, sample.single, sample.height) = (.nan, .nan, Meters(rawValue: .nan))
    sample.required = .nan
    sample.empty = Empty()
    sample.page = URL(string: "x", relativeTo: Self.base)
    sample.home = URL(string: "x", relativeTo: Self.base)!
    sample.money = Money(
      amount: .nan, page: URL(string: "x", relativeTo: Self.base), note: Empty())
    sample.point = Point(x: .nan, y: .nan)
  }

  private func expectStored(_ sample: Sample, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sample.number == nil && sample.single == nil, sourceLocation: sourceLocation)
    #expect(sample.height == nil && sample.empty == nil, sourceLocation: sourceLocation)
    #expect(sample.required.isNaN, sourceLocation: sourceLocation)
    #expect(sample.page == absolute && sample.home == absolute, sourceLocation: sourceLocation)
    #expect(sample.money == Money(page: absolute), sourceLocation: sourceLocation)
    #expect(sample.point == nil, sourceLocation: sourceLocation)
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Sample.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test(arguments: [false, true])
  func aSaveShowsWhatIsStored(isNew: Bool) throws {
    let context = try context()
    let sample = Sample("a")
    context.insert(sample)
    if !isNew { try context.save() }
    spoil(sample)
    try context.save()
    #expect(sample.name == "a" && !sample.hasChanges && !context.hasChanges)
    expectStored(sample)
    let other = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Sample>()).first)
    expectStored(other)
  }

  @Test func anUnrelatedEditDoesNotChangeTheAnswer() throws {
    let context = try context()
    let sample = Sample("a")
    context.insert(sample)
    context.insert(Sample("child"))
    spoil(sample)
    sample.parent = sample
    try context.save()
    let isAbsolute = #Predicate<Sample> { $0.page == absolute }
    var predicates = [isAbsolute]
    predicates.append(#Predicate<Sample> { $0.number == nil && $0.parent != nil })
    predicates.append(#Predicate<Sample> { $0.empty == nil && $0.parent != nil })
    predicates.append(#Predicate<Sample> { $0.parent != nil && $0.parent?.number == nil })
    predicates.append(#Predicate<Sample> { $0.home == absolute })
    predicates.append(#Predicate<Sample> { $0.money.amount == nil && isAbsolute.evaluate($0) })
    predicates.append(#Predicate<Sample> { $0.money.page == absolute })
    predicates.append(#Predicate<Sample> { $0.money.note == nil && isAbsolute.evaluate($0) })
    predicates.append(#Predicate<Sample> { $0.point == nil && isAbsolute.evaluate($0) })
    predicates.append(#Predicate<Sample> { $0.height == nil && isAbsolute.evaluate($0) })
    for edited in [false, true] {
      if edited { sample.name += "!" }
      for (place, predicate) in predicates.enumerated() {
        #expect(
          try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1, "\(place) \(edited)")
      }
    }
    try context.save()
    expectStored(sample)
  }

  @Test func aFailedTransactionGivesBackTheValues() throws {
    struct Undo: Error {}
    let context = try context()
    let sample = Sample("a")
    #expect(throws: Undo.self) {
      try context.transaction {
        context.insert(sample)
        spoil(sample)
        try context.save()
        expectStored(sample)
        throw Undo()
      }
    }
    #expect(sample.number?.isNaN == true && sample.empty == Empty() && sample.page?.baseURL != nil)
    #expect(sample.money.note == Empty() && sample.point?.x.isNaN == true)
    context.insert(sample)
    try context.save()
    expectStored(sample)
  }

  @Test func otherValuesAreNotReadAgain() throws {
    let reads = Mutex(0)
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.statementLog = StatementLog { event in
      if case .statement(let statement) = event, statement.sql.hasPrefix("SELECT") {
        reads.withLock { $0 += 1 }
      }
    }
    let context = ModelContext(
      try ModelContainer(for: Sample.self, configurations: configuration))
    let sample = Sample("a")
    (sample.number, sample.single, sample.height) = (1, .infinity, Meters(rawValue: 2))
    (sample.required, sample.page) = (.nan, absolute)
    sample.money = Money(amount: 1, page: absolute, note: Empty(number: 1))
    sample.point = Point(x: .nan, y: 1)
    context.insert(sample)
    try context.save()
    sample.point?.y = 2
    try context.save()
    let before = reads.withLock { $0 }
    #expect(sample.money.amount == 1 && sample.point?.y == 2 && sample.number == 1)
    #expect(sample.page == absolute && sample.name == "a")
    #expect(reads.withLock { $0 } == before)
  }
}
