import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// What an app is told while its store is migrated.
@Suite struct MigrationProgressTests {
  /// Values as an observer sees them; it observes anew after each change.
  private final class Watcher: Sendable {
    let seen = Mutex<[(fraction: Double, stage: String, entity: String?)]>([])
    let progress: MigrationProgress

    init(_ progress: MigrationProgress) {
      self.progress = progress
      observe()
    }

    private func observe() {
      let now = withObservationTracking {
        (progress.fraction, progress.stage, progress.entity)
      } onChange: { [weak self] in
        self?.observe()
      }
      seen.withLock { $0.append(now) }
    }
  }

  @Test func aMigrationReportsItsProgress() throws {
    let folder = try TemporaryFolder()
    try Journey.make(folder.store)
    let progress = MigrationProgress()
    #expect(progress.fraction == 0 && progress.stageIndex == 0 && !progress.isFinished)
    let watcher = Watcher(progress)
    _ = try ModelContainer(
      for: Schema(versionedSchema: Journey.V3.self), migrationPlan: Journey.Plan.self,
      configurations: [ModelConfiguration(url: folder.store)], migrationProgress: progress)
    #expect(progress.fraction == 1 && progress.isFinished && progress.entity == nil)
    #expect(progress.stageIndex == 2 && progress.stageCount == 2)
    let seen = watcher.seen.withLock { $0 }
    #expect(seen.map(\.fraction) == seen.map(\.fraction).sorted())
    #expect(seen.contains { $0.fraction > 0.1 && $0.fraction < 0.9 })
    #expect(Set(seen.map(\.stage)) == ["", "1.0.0 to 2.0.0", "2.0.0 to 3.0.0"])
    #expect(seen.contains { $0.entity == "Trip" })
  }

  @Test func aStoreThatNeedsNothingIsFinishedAtOnce() throws {
    let progress = MigrationProgress()
    _ = try ModelContainer(
      for: Schema(versionedSchema: Journey.V3.self), migrationPlan: Journey.Plan.self,
      configurations: [ModelConfiguration(isStoredInMemoryOnly: true)],
      migrationProgress: progress)
    #expect(progress.isFinished && progress.fraction == 1 && progress.stageCount == 0)
  }
}
