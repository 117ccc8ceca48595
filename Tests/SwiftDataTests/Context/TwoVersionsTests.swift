import Foundation
import SwiftData
import Testing

/// The same entities twice: other properties, other kinds of relationships.
enum TwoVersions {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Trip.self, Stop.self]

    @Model final class Trip {
      var name: String
      var budget: Int
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

      init(name: String, budget: Int) {
        self.name = name
        self.budget = budget
      }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Trip.self, Stop.self]

    @Model final class Trip {
      @Attribute(.unique) var title: String
      var budget: Double?
      var tags: [String] = []
      var stops: [Stop] = []
      var firstStop: Stop?

      init(title: String) { self.title = title }
    }

    @Model final class Stop {
      var position: Int
      var city: String
      @Relationship(inverse: \Trip.stops) var trips: [Trip] = []

      init(_ position: Int, city: String) {
        self.position = position
        self.city = city
      }
    }
  }
}

/// Two versions of a class live side by side in one process, each in a container of its own.
@Suite(.databases) struct TwoVersionsTests {
  typealias V1 = TwoVersions.V1
  typealias V2 = TwoVersions.V2

  private let folder: TemporaryFolder
  private let first: ModelContext
  private let second: ModelContext

  init() throws {
    let folder = try TemporaryFolder()
    func open(_ version: any VersionedSchema.Type, _ name: String) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version),
          configurations: ModelConfiguration(url: folder.url.appending(path: name))))
    }
    self.folder = folder
    first = try open(V1.self, "one.store")
    second = try open(V2.self, "two.store")
  }

  /// Alternates between the two, so that whatever one leaves behind is in the way of the other.
  private func fill() throws {
    for number in 1...3 {
      let old = V1.Trip(name: "old \(number)", budget: number)
      first.insert(old)
      old.stops = [V1.Stop(city: "Rome"), V1.Stop(city: "Oslo \(number)")]
      let new = V2.Trip(title: "new \(number)")
      new.budget = Double(number) / 2
      new.tags = ["tag \(number)"]
      second.insert(new)
      new.stops = [V2.Stop(1, city: "Bern"), V2.Stop(2, city: "Riga \(number)")]
      new.firstStop = new.stops[0]
    }
    try second.save()
    try first.save()
  }

  @Test func rowsRelationshipsAndPredicatesStayApart() throws {
    try fill()
    let (old, new) = (ModelContext(first.container), ModelContext(second.container))
    let oldTrips = try old.fetch(FetchDescriptor<V1.Trip>(sortBy: [SortDescriptor(\.name)]))
    let newTrips = try new.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.title)]))
    #expect(oldTrips.map(\.name) == ["old 1", "old 2", "old 3"])
    #expect(newTrips.map(\.title) == ["new 1", "new 2", "new 3"])
    #expect(oldTrips.map(\.budget) == [1, 2, 3])
    #expect(newTrips.map(\.budget) == [0.5, 1, 1.5])
    #expect(Set(oldTrips[1].stops.map(\.city)) == ["Rome", "Oslo 2"])
    #expect(Set(newTrips[1].stops.map(\.city)) == ["Bern", "Riga 2"])
    #expect(newTrips[1].firstStop?.city == "Bern" && newTrips[1].tags == ["tag 2"])
    #expect(oldTrips[0].stops.allSatisfy { $0.trip === oldTrips[0] })
    #expect(
      try old.fetchCount(
        FetchDescriptor<V1.Stop>(predicate: #Predicate { $0.trip?.name == "old 3" })) == 2)
    #expect(
      try new.fetchCount(
        FetchDescriptor<V2.Stop>(
          predicate: #Predicate { $0.trips.contains { $0.title == "new 3" } })) == 2)
    old.delete(oldTrips[0])
    try old.save()
    #expect(try old.fetchCount(FetchDescriptor<V1.Stop>()) == 4)
    #expect(try new.fetchCount(FetchDescriptor<V2.Stop>()) == 6)
    second.insert(V2.Trip(title: "new 1"))
    try second.save()
    #expect(try second.fetchCount(FetchDescriptor<V2.Trip>()) == 3)
  }

  @Test func aModelOfTheOtherVersionIsRefused() throws {
    first.insert(V2.Trip(title: "stray"))
    #expect(throws: SwiftDataError.self) { try first.save() }
    #expect(throws: SwiftDataError.unknownSchema) { try first.fetch(FetchDescriptor<V2.Trip>()) }
  }

  @Test func snapshotsFindTheirClassByTheirStore() throws {
    try fill()
    for trip in try first.fetch(FetchDescriptor<V1.Trip>()) {
      let copy = try roundTrip(trip)
      #expect(className(of: copy) == "V1.Trip")
      #expect(copy.persistentIdentifier == trip.persistentModelID)
      #expect(try text(of: copy).contains("\"name\":\"\(trip.name)\""))
    }
    for trip in try second.fetch(FetchDescriptor<V2.Trip>()) {
      let copy = try roundTrip(trip)
      #expect(className(of: copy) == "V2.Trip")
      #expect(try text(of: copy).contains("\"title\":\"\(trip.title)\""))
    }
  }

  @Test func aSnapshotOfANewModelNeedsTheSchemaWhereTwoHaveItsEntity() throws {
    let trip = V2.Trip(title: "fresh")
    second.insert(trip)
    let error = #expect(throws: DecodingError.self) { try roundTrip(trip) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("classes for the entity Trip"))
    #expect(context.debugDescription.contains("CodingUserInfoKey.swiftDataSchema"))
    let copy = try roundTrip(trip, schema: second.container.schema)
    #expect(className(of: copy) == "V2.Trip")
    #expect(
      className(of: try roundTrip(trip, schema: Schema(versionedSchema: V1.self))) == "V1.Trip")
  }

  @Test func aStoreThatIsClosedIsForgotten() throws {
    let data: Data
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: V1.self),
          configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let trip = V1.Trip(name: "gone", budget: 0)
      context.insert(trip)
      try context.save()
      data = try JSONEncoder().encode(snapshot(of: trip))
    }
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    }
    #expect("\(String(describing: error))".contains("No open container"))
    let decoder = JSONDecoder()
    decoder.userInfo[.swiftDataSchema] = Schema(versionedSchema: V1.self)
    #expect(className(of: try decoder.decode(DefaultSnapshot.self, from: data)) == "V1.Trip")
  }

  // MARK: Snapshots

  private func snapshot(of model: some PersistentModel) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
  }

  private func roundTrip(
    _ model: some PersistentModel, schema: Schema? = nil
  ) throws -> DefaultSnapshot {
    let decoder = JSONDecoder()
    if let schema { decoder.userInfo[.swiftDataSchema] = schema }
    return try decoder.decode(
      DefaultSnapshot.self, from: JSONEncoder().encode(snapshot(of: model)))
  }

  private func className(of snapshot: DefaultSnapshot) -> String {
    String(reflecting: snapshot.descriptor.type).split(separator: ".").suffix(2)
      .joined(separator: ".")
  }

  private func text(of snapshot: DefaultSnapshot) throws -> String {
    String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
  }
}
