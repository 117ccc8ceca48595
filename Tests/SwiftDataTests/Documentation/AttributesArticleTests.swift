import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

enum AttributesArticle {
  struct Place: Codable {
    var city: String
    var country: String?
  }

  enum Status: String, Codable {
    case planned, booked, done
  }

  @Model
  final class Trip {
    @Attribute(.unique) var code: String
    var name = "untitled"
    var status = Status.planned
    var place: Place?
    var labels: [String] = []
    @Attribute(.externalStorage) var photo: Data?
    @Attribute(originalName: "cost") var price: Decimal = 0
    @Transient var isSelected = false

    init(code: String) { self.code = code }
  }

  @Model
  final class Seat {
    #Unique<Seat>([\.row, \.number])

    var row: Int
    var number: Int

    init(row: Int, number: Int) {
      self.row = row
      self.number = number
    }
  }

  struct Color: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
  }

  final class ColorTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Color).map { Data([$0.red, $0.green, $0.blue]) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data, data.count == 3 else { return nil }
      let bytes = [UInt8](data)
      return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
  }

  /// The registration by name.
  static func registerColors() {
    ValueTransformer.setValueTransformer(
      ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
  }

  @Model
  final class Label {
    var text: String
    @Attribute(.transformable(by: ColorTransformer.self)) var color: Color?

    init(text: String) { self.text = text }
  }

  @Model
  final class NamedLabel {
    var text: String
    @Attribute(.transformable(by: "ColorTransformer")) var color: Color?

    init(text: String) { self.text = text }
  }
}

/// The samples of the article *Attributes and transformers*.
@Suite struct AttributesArticleTests {
  typealias Trip = AttributesArticle.Trip
  typealias Place = AttributesArticle.Place
  typealias Color = AttributesArticle.Color

  private func context() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)

    return context
  }

  @Test func partsOfStructuresAndCasesAreAskedInSQL() throws {
    let recorder = StatementRecorder()
    let context = ModelContext(try recorder.container([Trip.self]))
    for (code, city) in [("L1", "Lisbon"), ("P1", "Porto")] {
      let trip = Trip(code: code)
      trip.status = .booked
      trip.place = Place(city: city)
      context.insert(trip)
    }
    try context.save()
    let work = try recorder.leftToMemory {
      let booked = #Predicate<Trip> { $0.status == .booked && $0.place?.city == "Lisbon" }
      let trips = try context.fetch(FetchDescriptor(predicate: booked))

      #expect(trips.map(\.code) == ["L1"])
    }
    #expect(work.isEmpty)
  }

  @Test func aUniqueValueUpdatesTheRow() throws {
    let context = try context()

    context.insert(Trip(code: "L1"))
    try context.save()

    let again = Trip(code: "L1")
    again.name = "Lisbon in May"
    context.insert(again)
    try context.save()

    #expect(try context.stored(Trip.self).map(\.name) == ["Lisbon in May"])
    let other = Trip(code: "P1")
    context.insert(other)
    try context.save()
    other.code = "L1"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    context.uniquenessPolicy = .refuse
    context.insert(Trip(code: "L1"))
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    context.rollback()
  }

  @Test func severalPropertiesTogetherAreUnique() throws {
    typealias Seat = AttributesArticle.Seat
    let context = ModelContext(
      try ModelContainer(
        for: Seat.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for (row, number) in [(1, 1), (1, 2), (2, 1), (1, 2)] {
      context.insert(Seat(row: row, number: number))
      try context.save()
    }
    #expect(try context.count(Seat.self) == 3)
  }

  @Test func defaultsAreThoseOfTheDeclaration() throws {
    let context = try context()
    context.insert(Trip(code: "L1"))
    try context.save()
    let trip = try #require(try context.stored(Trip.self).first)
    #expect(trip.name == "untitled" && trip.status == .planned && trip.price == 0)
    #expect(trip.place == nil && trip.labels.isEmpty && trip.photo == nil)
  }

  @Test func aLargeValueLiesInAFile() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: folder.store))
    let context = ModelContext(container)
    let (large, small) = (Trip(code: "large"), Trip(code: "small"))
    large.photo = Data(repeating: 1, count: 200_000)
    small.photo = Data(repeating: 1, count: 2_000)
    context.insert(large)
    context.insert(small)
    try context.save()
    #expect(folder.valueNames.count == 1)
    #expect(try context.stored(Trip.self).allSatisfy { $0.photo != nil })
  }

  @Test func aTransientPropertyIsNoChange() throws {
    let context = try context()
    let trip = Trip(code: "L1")
    context.insert(trip)
    try context.save()
    let isTold = Mutex(false)
    withObservationTracking {
      _ = trip.isSelected
    } onChange: {
      isTold.withLock { $0 = true }
    }
    trip.isSelected = true
    #expect(!context.hasChanges)
    #expect(isTold.withLock { $0 } == false)
    #expect(context.container.schema.entity(for: Trip.self)?.attributesByName["isSelected"] == nil)
    #expect(try context.stored(Trip.self).map(\.isSelected) == [false])
  }

  @Test func aTransformerStoresWhatIsNotCodable() throws {
    typealias Label = AttributesArticle.Label
    typealias NamedLabel = AttributesArticle.NamedLabel
    AttributesArticle.registerColors()
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, NamedLabel.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let color = Color(red: 250, green: 120, blue: 3)
    let (label, named) = (Label(text: "a"), NamedLabel(text: "b"))
    label.color = color
    named.color = color
    context.insert(label)
    context.insert(named)
    context.insert(Label(text: "c"))
    try context.save()
    let labels = try context.stored(Label.self).sorted { $0.text < $1.text }
    #expect(labels.map(\.color) == [color, nil])
    #expect(try context.stored(NamedLabel.self).map(\.color) == [color])
  }
}
