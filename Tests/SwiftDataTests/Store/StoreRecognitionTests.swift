import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Files of an earlier version of the models: what fits is opened, what would lose values is refused in words.
@Suite struct StoreRecognitionTests {
  enum Old {
    @Model final class Trip {
      var name: String
      var days: Int
      var price: Double
      var start: Date?
      var kind: String
      var stops: [Stop] = []

      init(_ name: String) {
        (self.name, days, price, start, kind) = (name, 3, 2.5, .now, "short")
      }
    }

    @Model final class Stop {
      var place: String
      var trip: Trip?

      init(_ place: String) { self.place = place }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func container(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: folder.store))
  }

  private func makeOldFile() throws {
    let context = ModelContext(try container(Old.Trip.self, Old.Stop.self))
    let trip = Old.Trip("Rome")
    trip.stops = [Old.Stop("Pisa")]
    context.insert(trip)
    try context.save()
  }

  /// The error for other models; the file stays usable with the old ones.
  private func refusal(
    of types: any PersistentModel.Type..., withoutModel: Bool = false,
    with kind: SwiftDataError = .loadIssueModelContainer
  ) throws -> String {
    try makeOldFile()
    if withoutModel { try forgetModel() }
    let error = #expect(throws: kind) {
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store))
    }
    let context = ModelContext(try container(Old.Trip.self, Old.Stop.self))
    #expect(try context.stored(Old.Trip.self).map(\.name) == ["Rome"])
    #expect(try context.stored(Old.Stop.self).map(\.trip?.name) == ["Rome"])
    return error?.description ?? ""
  }

  /// Makes the file one of the release that wrote neither hashes nor model.
  private func forgetModel() throws {
    let plist = try PropertyListSerialization.data(
      fromPropertyList: ["NSStoreType": "SQLite", "other": "kept"], format: .binary, options: 0)
    try SQLiteFile.execute(
      "DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x'\(plist.hexadecimal)'",
      in: folder.store)
  }

  enum Typed {
    @Model final class Trip {
      var name: String
      var days: String = ""
      var price: Date = Date.now
      var start: Date = Date.now
      var kind: Kind = Kind.short
      var stops: [Stop] = []

      enum Kind: String, Codable { case short, long }

      init(_ name: String) { self.name = name }
    }

    @Model final class Stop {
      var place: String
      var trip: Trip?

      init(_ place: String) { self.place = place }
    }
  }

  @Test func otherTypesAreNamed() throws {
    let text = try refusal(of: Typed.Trip.self, Typed.Stop.self)
    #expect(text.contains("Trip.days is String, but Int in the store: 1 row (p1) would lose"))
    #expect(text.contains("Trip.price is Date, but Double in the store: 1 row (p1) would lose"))
    // A new default takes the place of nil, and raw values of cases stay.
    #expect(!text.contains("Trip.start") && !text.contains("Trip.kind"))
    #expect(!text.contains("Trip.name") && !text.contains("Stop") && !text.contains("stops"))
  }

  @Test func aFileWithoutAModelIsComparedByItsColumns() throws {
    let text = try refusal(
      of: Typed.Trip.self, Typed.Stop.self, withoutModel: true, with: .unknownDataStoreSchema)
    #expect(text.contains("Trip.days is VARCHAR and INTEGER in the store"))
    #expect(text.contains("Trip.price is TIMESTAMP and FLOAT in the store"))
  }

  enum Grown {
    @Model final class Trip {
      @Attribute(.unique) var name: String
      var days: Int
      var start: Date?
      var kind: String
      var stops: [Stop] = []
      var note: String?
      var guide: Guide?

      init(_ name: String) { (self.name, days, kind) = (name, 3, "short") }
    }

    @Model final class Stop {
      var place: String
      @Relationship(inverse: \Trip.stops) var trips: [Trip] = []

      init(_ place: String) { self.place = place }
    }

    @Model final class Guide {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  @Test func whatIsNewAndWhatIsGoneIsMigrated() throws {
    try makeOldFile()
    let context = ModelContext(
      try container(Grown.Trip.self, Grown.Stop.self, Grown.Guide.self))
    let trip = try #require(try context.stored(Grown.Trip.self).first)
    #expect(trip.name == "Rome" && trip.days == 3 && trip.note == nil && trip.guide == nil)
    #expect(trip.stops.map(\.place) == ["Pisa"] && trip.stops.first?.trips.count == 1)
    #expect(try context.fetchCount(FetchDescriptor<Grown.Guide>()) == 0)
  }

  enum Shifted {
    struct Plan: Codable { var days: Int }

    @Model final class Trip {
      var name: String
      var plan: Plan = Plan(days: 7)
      var price: Double
      var start: Date?
      var kind: String
      var stops: [Stop] = []

      init(_ name: String) { (self.name, price, kind) = (name, 3, "short") }
    }

    @Model final class Stop {
      var place: String
      var trip: Trip?

      init(_ place: String) { self.place = place }
    }
  }

  /// The columns fit by name and type, but hold the values of another property.
  @Test func aLeafWithTheNameOfARemovedPropertyIsNotRead() throws {
    try makeOldFile()
    let context = ModelContext(try container(Shifted.Trip.self, Shifted.Stop.self))
    #expect(try context.stored(Shifted.Trip.self).map(\.plan.days) == [7])
  }

  enum Reworded {
    @Model final class Trip {
      var name: String = "a default"
      var days: Int = 9
      #Index<Trip>([\.name])
      @Attribute(originalName: "cost") var price: Double
      var start: Date?
      var kind: String
      @Relationship(deleteRule: .cascade) var stops: [Stop] = []

      init(_ name: String) { (price, kind) = (3, "short") }
    }

    @Model final class Stop {
      var place: String
      @Relationship(inverse: \Trip.stops) var trip: Trip?

      init(_ place: String) { self.place = place }
    }
  }

  @Test func defaultsRulesNamesOfBeforeAndIndexesMakeNoOtherModel() throws {
    try makeOldFile()
    let context = ModelContext(try container(Reworded.Trip.self, Reworded.Stop.self))
    let trip = try #require(try context.stored(Reworded.Trip.self).first)
    #expect(trip.name == "Rome" && trip.price == 2.5 && trip.stops.map(\.place) == ["Pisa"])
  }

  @Test func aFileWithoutModelIsCompleted() throws {
    try makeOldFile()
    let (plist, cache) = (try metadata(), try modelCache())
    try forgetModel()
    _ = try container(Old.Trip.self, Old.Stop.self)
    let completed = try #require(StoreMetadata(try metadata()))
    let made = try #require(StoreMetadata(plist))
    #expect(completed.versionHashes == made.versionHashes && !made.versionHashes.isEmpty)
    #expect(completed.checksum == made.checksum && completed.digest == made.digest)
    #expect(completed.keys.contains("other"))
    #expect(try ModelCache.decode(modelCache()) == ModelCache.decode(cache))
  }

  @Test func aRequiredPropertyWithoutValuesIsNamedInAFileWithoutModel() throws {
    try makeOldFile()
    try forgetModel()
    try SQLiteFile.execute("UPDATE ZTRIP SET ZKIND = NULL", in: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container(Old.Trip.self, Old.Stop.self)
    }
    #expect(error?.entity == "Trip" && error?.property == "kind")
  }

  @Test func aFileWithoutModelAndWithAnotherColumnIsRefused() throws {
    try makeOldFile()
    try forgetModel()
    try SQLiteFile.execute("ALTER TABLE ZTRIP ADD COLUMN ZDAYS1 INTEGER", in: folder.store)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try container(Old.Trip.self, Old.Stop.self)
    }
    #expect(
      error?.description.contains("the column ZDAYS1 of ZTRIP belongs to no property") == true)
  }

  @Test func aRenamedEntityIsFoundByItsNumber() throws {
    try makeOldFile()
    try SQLiteFile.execute(
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Journey' WHERE Z_NAME = 'Trip'", in: folder.store)
    let context = ModelContext(try container(Old.Trip.self, Old.Stop.self))
    #expect(try context.stored(Old.Trip.self).map(\.name) == ["Rome"])
    context.insert(Old.Trip("Oslo"))
    try context.save()
    #expect(
      try SQLiteFile.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 2", in: folder.store)
        == 2)
  }

  @Test func derivedAttributesAreReadAndNotWritten() throws {
    try makeOldFile()
    try SQLiteFile.execute(
      """
      CREATE TRIGGER Z_DA_ZTRIP_Trip_days_INSERT AFTER INSERT ON ZTRIP BEGIN \
      UPDATE ZTRIP SET ZDAYS = 1; END
      """, in: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container(Old.Trip.self, Old.Stop.self)
    }
    #expect(error?.description.contains("derived attributes") == true)
    #expect(error?.description.contains("Z_DA_ZTRIP_Trip_days_INSERT") == true)
    // A preview of what can't be opened throws the same error.
    let refused = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer.migrationPreview(
        for: Schema([Old.Trip.self, Old.Stop.self]),
        configurations: [ModelConfiguration(url: folder.store)])
    }
    #expect(refused?.description == error?.description)
    let context = ModelContext(
      try ModelContainer(
        for: Old.Trip.self, Old.Stop.self,
        configurations: ModelConfiguration(url: folder.store, allowsSave: false)))
    #expect(try context.stored(Old.Trip.self).map(\.name) == ["Rome"])
  }

  @Test func orderedRelationshipsAreReadAndNotWritten() throws {
    try makeOldFile()
    try SQLiteFile.execute("ALTER TABLE ZSTOP ADD COLUMN Z_FOK_TRIP INTEGER", in: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container(Old.Trip.self, Old.Stop.self)
    }
    #expect(error?.description.contains("ordered relationships") == true)
    let context = ModelContext(
      try ModelContainer(
        for: Old.Trip.self, Old.Stop.self,
        configurations: ModelConfiguration(url: folder.store, allowsSave: false)))
    #expect(try context.stored(Old.Stop.self).map(\.trip?.name) == ["Rome"])
  }

  @Test func aContainerDescribesItsStores() throws {
    let container = try ModelContainer(
      for: Schema([Old.Stop.self]), configurations: ModelConfiguration(url: folder.store))
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "test"))
    #expect(try SQLiteFile.text("SELECT Z_UUID FROM Z_METADATA", in: folder.store) == identifier)
    #expect(container.configurationName(forStoreIdentifier: identifier) == "test")
    #expect(container.storeIdentifier(forConfigurationNamed: "other") == nil)
    #expect(container.configurationName(forStoreIdentifier: "none") == nil)
    let unnamed = try ModelContainer(
      for: Old.Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(unnamed.storeIdentifier(forConfigurationNamed: "default") != nil)
  }

  private func metadata() throws -> Data {
    try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: folder.store)
  }

  private func modelCache() throws -> Data {
    try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: folder.store)
  }
}

extension Data {
  fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
