import Foundation
import SwiftData

/// Three versions of one app: a class is reused, an entity comes and another one goes.
enum Journey {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Memo.self] }

    @Model final class Trip {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      init(name: String) { self.name = name }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }

    @Model final class Memo {
      var text: String
      init(text: String) { self.text = text }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Memo.self, Guide.self] }

    typealias Memo = V1.Memo

    @Model final class Trip {
      @Attribute(originalName: "name") var title: String
      var days: Int = 3
      var guide: Guide?
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      init(title: String) { self.title = title }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }

    @Model final class Guide {
      var name: String
      @Relationship(inverse: \Trip.guide) var trips: [Trip] = []
      init(name: String) { self.name = name }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Guide.self] }

    @Model final class Trip {
      @Attribute(.unique) var title: String
      var days: Int = 3
      var guide: Guide?
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      init(title: String) { self.title = title }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }

    @Model final class Guide {
      var name: String
      @Relationship(inverse: \Trip.guide) var trips: [Trip] = []
      init(name: String) { self.name = name }
    }
  }

  /// The models of the app: those of the last version, in classes of their own.
  enum Current {
    static let models: [any PersistentModel.Type] = [Trip.self, Stop.self, Guide.self]

    @Model final class Trip {
      @Attribute(.unique) var title: String
      var days: Int = 3
      var guide: Guide?
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      init(title: String) { self.title = title }
    }

    @Model final class Stop {
      var city: String
      var trip: Trip?
      init(city: String) { self.city = city }
    }

    @Model final class Guide {
      var name: String
      @Relationship(inverse: \Trip.guide) var trips: [Trip] = []
      init(name: String) { self.name = name }
    }
  }

  /// Gives all trips a guide, and titles that are equal a number.
  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
        didMigrate: { context in
          let guide = V2.Guide(name: "Gina")
          context.insert(guide)
          guide.trips = try context.fetch(FetchDescriptor<V2.Trip>())
          try context.save()
        }),
      MigrationStage.custom(
        fromVersion: V2.self, toVersion: V3.self,
        willMigrate: { context in
          var titles: Set<String> = []
          let byKey = FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\.title)])
          for (number, trip) in try context.fetch(byKey).enumerated()
          where !titles.insert(trip.title).inserted {
            trip.title += " \(number)"
          }
          try context.save()
        }, didMigrate: nil),
    ]
  }

  /// Without code.
  enum PlainPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = []
  }

  enum Downward: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V3.self, V2.self]
    static let stages: [MigrationStage] = []
  }

  static func open(
    _ models: [any PersistentModel.Type], at url: URL,
    plan: (any SchemaMigrationPlan.Type)? = nil, version: Schema.Version = Schema.Version(1, 0, 0)
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(models, version: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: url)))
  }

  static func open(
    _ version: any VersionedSchema.Type, at url: URL, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    try open(version.models, at: url, plan: plan, version: version.versionIdentifier)
  }

  /// A store of the first version: three trips, of which two have one name, and a memo.
  static func make(_ url: URL, names: [String] = ["Rome", "Oslo", "Rome"]) throws {
    let context = try open(V1.self, at: url)
    for (number, name) in names.enumerated() {
      let trip = V1.Trip(name: name)
      context.insert(trip)
      for place in 0..<number { trip.stops.append(V1.Stop(city: "city \(place)")) }
    }
    context.insert(V1.Memo(text: "pack"))
    try context.save()
  }
}
