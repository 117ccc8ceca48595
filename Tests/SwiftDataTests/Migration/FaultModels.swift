import Foundation
import SwiftData
import Testing

/// Three versions of models with all that a migration touches: links of each kind, a hierarchy, values that move
/// into files and out of them, entities that come and go.
enum Faulted {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [
        Trip.self, Stop.self, Person.self, Tag.self, Vehicle.self, Car.self, Boat.self, Memo.self,
      ]
    }

    @Model final class Trip {
      var name: String
      var days: Int
      @Attribute(.externalStorage) var photo: Data?
      var text: Data?
      var owner: Person?
      @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

      init(_ name: String, days: Int) { (self.name, self.days) = (name, days) }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?

      init(_ city: String) { self.city = city }
    }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Trip.owner) var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Tag {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model class Vehicle {
      var name: String
      var doors: Int?

      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Vehicle {
      var gears: Int

      init(_ name: String, doors: Int, gears: Int) {
        self.gears = gears
        super.init(name)
        self.doors = doors
      }
    }

    @Model final class Boat: Vehicle {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Memo {
      var text: String
      @Attribute(.externalStorage) var scan: Data?

      init(_ text: String, _ scan: Data) { (self.text, self.scan) = (text, scan) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [
        Trip.self, Stop.self, Person.self, Label.self, Vehicle.self, Car.self, Boat.self, Zone.self,
      ]
    }

    @Model final class Trip {
      @Attribute(originalName: "name") var title: String
      var days: Double
      var photo: Data?
      @Attribute(.externalStorage) var text: Data?
      var token: UUID = UUID()
      var note: String?
      @Relationship(originalName: "owner", inverse: \Person.trips) var owners: [Person] = []
      @Relationship(originalName: "tags", inverse: \Label.trips) var labels: [Label] = []
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      var zone: Zone?

      init(_ title: String, days: Double) { (self.title, self.days) = (title, days) }
    }

    @Model final class Stop {
      @Attribute(originalName: "city") var town: String
      var trip: Trip?

      init(_ town: String) { self.town = town }
    }

    @Model final class Person {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model(originalName: "Tag") final class Label {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model class Vehicle {
      var name: String

      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Vehicle {
      var doors: Int?
      var gears: Int

      init(_ name: String, gears: Int) {
        self.gears = gears
        super.init(name)
      }
    }

    @Model final class Boat: Vehicle {
      var length: Double = 3.5

      override init(_ name: String) { super.init(name) }
    }

    @Model final class Zone {
      var name: String
      @Relationship(inverse: \Trip.zone) var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Trip.self, Stop.self, Person.self, Label.self, Vehicle.self, Zone.self]
    }

    @Model final class Trip {
      @Attribute(.unique) var title: String
      var days: Int
      @Attribute(.externalStorage) var photo: Data?
      var token: UUID
      @Relationship(inverse: \Person.trips) var owners: [Person] = []
      @Relationship(inverse: \Label.trips) var labels: [Label] = []
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      var zone: Zone?

      init(_ title: String, days: Int) { (self.title, self.days, token) = (title, days, UUID()) }
    }

    @Model final class Stop {
      var town: String
      var trip: Trip?

      init(_ town: String) { self.town = town }
    }

    @Model final class Person {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Label {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Vehicle {
      var name: String

      init(_ name: String) { self.name = name }
    }

    @Model final class Zone {
      var name: String
      @Relationship(inverse: \Trip.zone) var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum PlainPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = []
  }

  /// Two stages with code that inserts, changes and deletes, values in files included.
  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          let trip = V1.Trip("made", days: 9)
          trip.photo = External.bytes(9)
          context.insert(trip)
          try context.delete(
            model: V1.Trip.self, where: #Predicate { $0.name == "Bari" })
          try context.save()
        },
        didMigrate: { context in
          let zone = V2.Zone("all")
          context.insert(zone)
          for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {
            trip.zone = zone
            if trip.title == "Rome" { trip.text = External.bytes(8) }
          }
          try context.save()
        }),
      MigrationStage.custom(
        fromVersion: V2.self, toVersion: V3.self,
        willMigrate: { context in
          var titles: Set<String> = []
          let trips = FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.days)])
          for trip in try context.fetch(trips) where !titles.insert(trip.title).inserted {
            context.delete(trip)
          }
          try context.save()
        },
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<V3.Trip>()) where trip.title == "Oslo" {
            trip.photo = External.bytes(7)
            trip.labels.append(V3.Label("new"))
          }
          try context.save()
        }),
    ]
  }

  // MARK: Rows

  static func open(
    _ version: any VersionedSchema.Type, _ url: URL, plan: (any SchemaMigrationPlan.Type)? = nil,
    keepsBackup: Bool = false
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: url)
    configuration.keepsMigrationBackup = keepsBackup
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configuration))
  }

  static func make(_ url: URL) throws {
    let context = try open(V1.self, url)
    let (ann, ben) = (V1.Person("Ann"), V1.Person("Ben"))
    let tags = ["sea", "city"].map(V1.Tag.init)
    for (number, name) in ["Rome", "Oslo", "Bari", "Oslo"].enumerated() {
      let trip = V1.Trip(name, days: number)
      context.insert(trip)
      trip.owner = number == 0 ? nil : number == 1 ? ann : ben
      trip.tags = Array(tags.prefix(number))
      trip.photo = number == 1 ? nil : External.bytes(UInt8(number))
      trip.text = number < 2 ? External.bytes(UInt8(number + 4)) : Data([1])
      trip.stops = (0..<number).map { V1.Stop("stop \($0)") }
    }
    context.insert(V1.Car("Fiat", doors: 3, gears: 5))
    context.insert(V1.Boat("Gig"))
    context.insert(V1.Memo("pack", External.bytes(6)))
    try context.save()
  }

  static func expectFirst(_ url: URL, _ comment: Comment, files: Int = 4) throws {
    let context = try open(V1.self, url)
    let trips = try context.fetch(FetchDescriptor<V1.Trip>(sortBy: [SortDescriptor(\.days)]))
    #expect(trips.map(\.name) == ["Rome", "Oslo", "Bari", "Oslo"], comment)
    #expect(trips.map(\.owner?.name) == [nil, "Ann", "Ben", "Ben"], comment)
    #expect(trips.map(\.tags.count) == [0, 1, 2, 2], comment)
    #expect(trips.map(\.stops.count) == [0, 1, 2, 3], comment)
    #expect(trips.map(\.photo?.first) == [0, nil, 2, 3], comment)
    #expect(trips.map(\.text?.count) == [External.size, External.size, 1, 1], comment)
    #expect(try context.fetch(FetchDescriptor<V1.Car>()).map(\.doors) == [3], comment)
    #expect(try context.fetchCount(FetchDescriptor<V1.Vehicle>()) == 2, comment)
    let memos = try context.fetch(FetchDescriptor<V1.Memo>())
    #expect(memos.map(\.scan?.count) == [External.size], comment)
    try expectFiles(url, files, comment)
  }

  static func expectSecond(_ url: URL, _ comment: Comment) throws {
    let context = try open(V2.self, url, plan: PlainPlan.self)
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.days)]))
    #expect(trips.map(\.title) == ["Rome", "Oslo", "Bari", "Oslo"], comment)
    #expect(trips.map { $0.owners.map(\.name) } == [[], ["Ann"], ["Ben"], ["Ben"]], comment)
    #expect(trips.map(\.labels.count) == [0, 1, 2, 2], comment)
    #expect(trips.map(\.stops.count) == [0, 1, 2, 3], comment)
    #expect(trips.map(\.photo?.first) == [0, nil, 2, 3], comment)
    #expect(trips.map(\.text?.count) == [External.size, External.size, 1, 1], comment)
    #expect(Set(trips.map(\.token)).count == 4, comment)
    #expect(try context.fetch(FetchDescriptor<V2.Car>()).map(\.doors) == [3], comment)
    #expect(try context.fetch(FetchDescriptor<V2.Boat>()).map(\.length) == [3.5], comment)
    #expect(try context.fetchCount(FetchDescriptor<V2.Zone>()) == 0, comment)
    try expectFiles(url, 2, comment)
  }

  static func expectThird(_ url: URL, _ comment: Comment) throws {
    let context = try open(V3.self, url, plan: Plan.self)
    let trips = try context.fetch(FetchDescriptor<V3.Trip>(sortBy: [SortDescriptor(\.days)]))
    #expect(trips.map(\.title) == ["Rome", "Oslo", "made"], comment)
    #expect(trips.map { $0.owners.map(\.name) } == [[], ["Ann"], []], comment)
    #expect(trips.map { $0.labels.map(\.name).sorted() } == [[], ["new", "sea"], []], comment)
    #expect(trips.map(\.photo?.first) == [0, 7, 9], comment)
    #expect(trips.map(\.zone?.name) == ["all", "all", "all"], comment)
    #expect(try context.fetchCount(FetchDescriptor<V3.Stop>()) == 1, comment)
    try expectFiles(url, 3, comment)
  }

  /// Each file is named by a row, each name has a file, and no transaction is unfinished.
  private static func expectFiles(_ url: URL, _ count: Int, _ comment: Comment) throws {
    let check = try ExternalFilesCheck(of: url)
    #expect(check.orphans.isEmpty && check.missing.isEmpty, comment)
    #expect(check.valueCount == count, comment)
    let name = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
    let support = url.deletingLastPathComponent().appending(path: name)
    let journals = (try? FileManager.default.contentsOfDirectory(atPath: support.path)) ?? []
    #expect(journals.filter { $0.hasPrefix("pending-") } == [], comment)
  }
}
