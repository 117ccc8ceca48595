import Foundation
import SwiftData
import Testing

/// Numbers of other types than the property's, in the snapshots of a custom store.
struct NumberFormTests {
  @Model final class Gauge {
    var int = 7
    var maybe: Int?
    var small: Int8 = 7
    var large: UInt64 = 7
    var byte: UInt8 = 7
    var flag = true
    var ratio: Float = 7
    var level = 7.0
    var date = Date(timeIntervalSinceReferenceDate: 7)
    var grade = Grade.one

    init() {}

    enum Grade: Int, Codable { case one = 1, two }
  }

  /// Encodes one property as it likes.
  struct Snapshot: DataStoreSnapshot {
    let persistentIdentifier: PersistentIdentifier
    var name = ""
    var value: any Codable & Sendable = 0

    init(_ identifier: PersistentIdentifier, _ name: String, _ value: any Codable & Sendable) {
      (persistentIdentifier, self.name, self.value) = (identifier, name, value)
    }

    init(
      from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
      persistentIdentifier = from.persistentModelID!
    }

    init(from decoder: any Decoder) throws { throw DataStoreError.unsupportedFeature }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
      try container.encode(value, forKey: .modeledProperty(name))
    }

    func copy(
      persistentIdentifier: PersistentIdentifier,
      remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Snapshot { Snapshot(persistentIdentifier, name, value) }
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = GaugeStore
    var name = "gauges"
    var schema: Schema?
    let property: String
    let value: any Codable & Sendable

    static func == (a: Self, b: Self) -> Bool { a.name == b.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  final class GaugeStore: DataStore {
    typealias Snapshot = NumberFormTests.Snapshot
    let configuration: Configuration
    let schema: Schema
    let identifier = "gauges"

    init(
      _ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
      self.configuration = configuration
      schema = configuration.schema!
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, Snapshot> {
      let identifier = try PersistentIdentifier.identifier(
        for: identifier, entityName: "Gauge", primaryKey: 1)
      return DataStoreFetchResult(
        descriptor: request.descriptor,
        fetchedSnapshots: [Snapshot(identifier, configuration.property, configuration.value)])
    }

    func save(
      _ request: DataStoreSaveChangesRequest<Snapshot>
    ) throws -> DataStoreSaveChangesResult<Snapshot> {
      throw DataStoreError.unsupportedFeature
    }
  }

  private func gauge(_ property: String, _ value: any Codable & Sendable) throws -> Gauge {
    let container = try ModelContainer(
      for: Gauge.self, configurations: Configuration(property: property, value: value))
    return try #require(try ModelContext(container).fetch(FetchDescriptor<Gauge>()).first)
  }

  @Test func exactNumbersOfOtherTypesAreRead() throws {
    #expect(try gauge("int", UInt64(Int64.max)).int == .max)
    #expect(try gauge("int", Int8(-3)).int == -3)
    #expect(try gauge("maybe", UInt8(200)).maybe == 200)
    #expect(try gauge("small", -5).small == -5)
    #expect(try gauge("large", 5).large == 5)
    #expect(try gauge("large", UInt.max).large == .max)
    #expect(try gauge("byte", 255).byte == 255)
    #expect(try gauge("level", -2).level == -2)
    #expect(try gauge("level", UInt64(1) << 63).level == 0x1p63)
    #expect(try gauge("ratio", 0.5).ratio == 0.5)
    #expect(try gauge("ratio", Double.infinity).ratio == .infinity)
    #expect(try gauge("flag", 0).flag == false)
    #expect(try gauge("flag", UInt8(1)).flag)
    #expect(try gauge("date", 300).date.timeIntervalSinceReferenceDate == 300)
    #expect(try gauge("grade", Int8(2)).grade == .two)
  }

  @Test(
    arguments: [
      ("int", UInt64.max), ("int", true), ("maybe", UInt64.max), ("maybe", UInt.max),
      ("small", UInt64.max), ("large", -1), ("large", Int8(-3)), ("level", UInt64.max),
      ("level", Int.max), ("level", true), ("ratio", UInt64.max), ("ratio", 1e300),
      ("ratio", -1e300), ("flag", 300), ("flag", -1), ("date", UInt64.max), ("date", true),
      ("grade", UInt64.max), ("grade", true), ("int", 1.5),
    ] as [(String, any Codable & Sendable)])
  func otherNumbersAreRefused(_ property: String, _ value: any Codable & Sendable) throws {
    let error = #expect(throws: SwiftDataError.self) { try gauge(property, value) }
    #expect(error == .storeReadFailure)
    #expect("\(error!)".contains("does not have the type of the property"))
  }
}
