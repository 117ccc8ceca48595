import Foundation
import OpenSwiftDataTestModels
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

/// Plain values and descriptions in a store that has nothing else.
@Suite struct PlainStoreTests {
  private let configuration = PlainStore.Configuration()

  private func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: [configuration])
  }

  private func snapshot<M: PersistentModel>(of model: M) -> DefaultSnapshot {
    func make<B: BackingData>(_ data: B) -> DefaultSnapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      return DefaultSnapshot(from: data, relatedBackingDatas: &related)
    }
    return make(model.persistentBackingData)
  }

  private static let fillings: [@Sendable (Everything) -> Void] = [
    { _ in },
    {
      ($0.int, $0.int8, $0.int16, $0.int32, $0.int64) = (.min, .min, .min, .min, .min)
      ($0.uint, $0.uint8, $0.uint16, $0.uint32, $0.uint64) = (.max, .max, .max, .max, .max)
      ($0.optionalInt, $0.optionalUInt64, $0.optionalBool) = (.max, .max, true)
      ($0.double, $0.float) = (-0.0, .leastNonzeroMagnitude)
      ($0.optionalDouble, $0.optionalFloat) = (-.infinity, .infinity)
    },
    {
      ($0.double, $0.float, $0.place.latitude) = (.nan, .nan, .nan)
      ($0.numbers, $0.optionalDouble) = ([.nan, -0.0, .infinity], .greatestFiniteMagnitude)
      ($0.date, $0.optionalDate) = (.distantPast, Date(timeIntervalSinceReferenceDate: 0.1))
      $0.decimal = Decimal(string: "-12345678901234567890.123456789")!
      $0.optionalDecimal = Decimal(string: "1E-30")!
      ($0.string, $0.optionalString) = ("e\u{301}\u{0} \u{1F600}", "")
      ($0.data, $0.optionalData, $0.picture) = (Data([0, 255]), Data(), Data([1]))
      $0.optionalURL = URL(string: "file:///tmp/%C3%A4%20b")
      $0.optionalUUID = UUID()
    },
    {
      let place = Everything.Place(
        name: "Rome", latitude: 41.9, longitude: 12.5, tags: ["a", "b"], mood: .wild)
      ($0.place, $0.optionalPlace, $0.opaque) = (place, place, place)
      $0.wallet = Everything.Wallet(home: place, coins: 3)
      ($0.mood, $0.optionalMood, $0.level) = (.wild, .wild, .high)
      ($0.shape, $0.optionalShape) = (.circle(radius: 2.5), .named("n"))
      $0.token = Everything.Token(rawValue: "abc")
      ($0.strings, $0.places) = (["x", "y"], [place, place])
      ($0.counts, $0.set) = (["a": 1, "b": 2], [3, 1, 2])
    },
  ]

  @Test(arguments: fillings.indices)
  func attributesOfAllTypesAreTheSameInPlainData(_ index: Int) throws {
    let container = try container([Everything.self])
    let context = ModelContext(container)
    let model = Everything()
    Self.fillings[index](model)
    context.insert(model)
    let values = try snapshot(of: model).values()
    #expect(values.count == Everything._$descriptor.properties.count - 1)
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Everything>()).first)
    #expect(try text(snapshot(of: found).values()) == text(values))
    #expect(found.double.isNaN == model.double.isNaN && found.double.sign == model.double.sign)
    #expect(found.set == model.set && found.counts == model.counts && found.shape == model.shape)
    #expect(found.fleeting == 1)
  }

  /// A NaN equals nothing, so the encoded forms are compared.
  private func text(_ values: [String: DataStoreValue]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(values), as: UTF8.self)
  }

  @Test func aStoreAnswersWhatItCanDescribe() throws {
    let container = try container(Archive.types)
    let context = ModelContext(container)
    let author = Archive.Author("a")
    context.insert(author)
    for number in 1...4 {
      let book = Archive.Book("book \(number)", pages: number * 100)
      context.insert(book)
      if number > 1 { book.author = author }
    }
    try context.save()
    let reading = ModelContext(container)
    var descriptor = FetchDescriptor<Archive.Book>(
      predicate: #Predicate { $0.author?.name == "a" },
      sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try reading.fetch(descriptor).map(\.pages) == [400, 300])
    #expect(configuration.log.queries.withLock { $0.last?.limit } == 2)
    #expect(try reading.fetchCount(descriptor) == 2)
    let count = configuration.log.queries.withLock { $0.count }
    // The store evaluates the order, and the context the computed property.
    let loud = FetchDescriptor<Archive.Author>(
      predicate: #Predicate { $0.motto == "x" }, sortBy: [SortDescriptor(\.name)])
    #expect(try reading.fetch(loud).isEmpty)
    let last = try #require(configuration.log.queries.withLock { $0.last })
    #expect(last.condition == nil && last.order.count == 1)
    #expect(configuration.log.queries.withLock { $0.count } > count)
  }

  @Test func aBatchDeletionIsDescribed() throws {
    let container = try container(Archive.types)
    let context = ModelContext(container)
    for text in ["a", "b", "c"] { context.insert(Archive.Note(text)) }
    try context.save()
    try context.delete(model: Archive.Note.self, where: #Predicate { $0.text > "a" })
    let left = try ModelContext(container).fetch(FetchDescriptor<Archive.Note>())
    #expect(left.map(\.text) == ["a"])
    #expect(configuration.log.queries.withLock { $0.contains { $0.entity == "Note" } })
  }
}
