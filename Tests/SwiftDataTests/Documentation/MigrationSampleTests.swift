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
    @Test func aDryRunTellsWhatWouldChange() throws {
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

    /// Compiled only: it would make the default store.
    private func openWithProgress() throws {
      let progress = MigrationProgress()
      let container = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
        configurations: [], migrationProgress: progress)
      _ = container
    }
  }
}
