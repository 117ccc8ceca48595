import Foundation
import SwiftData
import Testing

extension Travel {
  enum TripsPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [TripsV2.self]
    static let stages: [MigrationStage] = []
  }

  /// The samples about migrations.
  @Suite struct MigrationSampleTests {
    @Test func aDryRunListsTheChanges() throws {
      let folder = try TemporaryFolder()
      let file = folder.store
      for preview in try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
        configurations: [ModelConfiguration(url: file)])
      where preview.isNeeded {
        print(preview)
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func aTypeIsChangedInOneStage() throws {
      let folder = try TemporaryFolder()
      do {
        let context = ModelContext(
          try ModelContainer(
            for: Prices.TripsV1.Trip.self, configurations: ModelConfiguration(url: folder.store)))
        for price in ["12.5", "none"] { context.insert(Prices.TripsV1.Trip(price: price)) }
        try context.save()
      }
      let context = ModelContext(
        try ModelContainer(
          for: Prices.TripsV2.Trip.self, migrationPlan: Prices.Plan.self,
          configurations: ModelConfiguration(url: folder.store)))
      let trips = try context.fetch(FetchDescriptor<Prices.TripsV2.Trip>())
      #expect(Set(trips.map(\.price)) == [Decimal(12.5), 0])
    }

    /// Compiled only: it would make the default store.
    private func openWithProgress() throws {
      let progress = MigrationProgress()
      let container = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
        configurations: [], migrationProgress: progress)
      _ = container
    }
  }
  /// A price that was a text becomes a number.
  enum Prices {
    enum TripsV1: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self] }

      @Model final class Trip {
        var price: String
        init(price: String) { self.price = price }
      }
    }

    enum TripsV2: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self] }

      @Model final class Trip {
        var price: Decimal
        init(price: Decimal) { self.price = price }
      }
    }

    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] { [stage] }

      private static let stage =
        MigrationStage.transform(
          fromVersion: TripsV1.self, toVersion: TripsV2.self,
          transformation: { transformation in
            try transformation.forEach(TripsV1.Trip.self, TripsV2.Trip.self) { old, new, context in
              new?.price = Decimal(string: old.price) ?? 0
            }
          })
    }
  }
}
