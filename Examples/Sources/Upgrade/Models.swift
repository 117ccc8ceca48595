import SwiftData

/// The first version of a log of measurements.
enum LogV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Measurement.self, Station.self]

  @Model final class Measurement {
    var value: Int
    var unit: String
    var station: Station?

    init(value: Int, unit: String, station: Station) {
      self.value = value
      self.unit = unit
      self.station = station
    }
  }

  @Model final class Station {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Measurement.station)
    var measurements: [Measurement] = []

    init(name: String) { self.name = name }
  }
}

/// Values have fractions now, and the unit belongs to the station.
enum LogV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static let models: [any PersistentModel.Type] = [Measurement.self, Station.self]

  @Model final class Measurement {
    @Attribute(originalName: "value") var reading: Double
    var isChecked = false
    var unit: String
    var station: Station?

    init(reading: Double, unit: String) {
      self.reading = reading
      self.unit = unit
    }
  }

  @Model final class Station {
    var name: String
    var unit: String?
    @Relationship(deleteRule: .cascade, inverse: \Measurement.station)
    var measurements: [Measurement] = []

    init(name: String) { self.name = name }
  }
}

/// The unit of a measurement is gone.
enum LogV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static let models: [any PersistentModel.Type] = [Measurement.self, Station.self]

  @Model final class Measurement {
    var reading: Double
    var isChecked = false
    var station: Station?

    init(reading: Double) { self.reading = reading }
  }

  @Model final class Station {
    var name: String
    var unit: String?
    @Relationship(deleteRule: .cascade, inverse: \Measurement.station)
    var measurements: [Measurement] = []

    init(name: String) { self.name = name }
  }
}

enum LogPlan: SchemaMigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [LogV1.self, LogV2.self, LogV3.self]
  static let stages = [
    MigrationStage.custom(
      fromVersion: LogV1.self, toVersion: LogV2.self, willMigrate: nil,
      didMigrate: { context in
        for station in try context.fetch(FetchDescriptor<LogV2.Station>()) {
          let name = station.name
          var first = FetchDescriptor<LogV2.Measurement>(
            predicate: #Predicate { $0.station?.name == name })
          first.fetchLimit = 1
          station.unit = try context.fetch(first).first?.unit
        }
        try context.save()
      }),
    MigrationStage.lightweight(fromVersion: LogV2.self, toVersion: LogV3.self),
  ]
}
