import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Values that leave their column in a transformation, whatever its code does with them: a server keeps no
/// copy, so the configuration has to allow it.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct TransformLossTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Person.self, Worker.self] }

    @Model final class Trip {
      var name: String
      var city: String
      var guide: Person?
      init(_ name: String, _ city: String) { (self.name, self.city) = (name, city) }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Worker: Person {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Trip.self, City.self, Person.self, Worker.self]
    }

    @Model final class Trip {
      var name: String
      var city: City?
      var guide: Worker?
      init(_ name: String) { self.name = name }
    }

    @Model final class City {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Worker: Person {
      override init(_ name: String) { super.init(name) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self,
        transformation: { transformation in
          try transformation.forEach(V1.Trip.self, V2.Trip.self) { old, new, _ in
            new?.city = V2.City(old.city)
          }
        })
    ]
  }

  @Test func valuesAndLinksThatNoColumnContinuesNeedPermission() throws {
    let store = try MigratedServerStore()
    let old = try store.open(V1.self)
    for (name, guide) in [("a", V1.Person("Ann")), ("b", V1.Worker("Ben"))] {
      let trip = V1.Trip(name, "city of \(name)")
      old.insert(trip)
      trip.guide = guide
    }
    try old.save()
    let error = #expect(throws: SwiftDataError.self) { try store.open(V2.self, plan: Plan.self) }
    let text = error?.description ?? ""
    #expect(text.contains("2 values of Trip.city (String)"), "\(text)")
    #expect(text.contains("1 value of Trip.guide"), "\(text)")
    let context = try store.open(V2.self, plan: Plan.self) { $0.allowsMigrationLosses = true }
    let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.city?.name) == ["city of a", "city of b"])
    #expect(trips.map(\.guide?.name) == [nil, "Ben"])
  }
}
