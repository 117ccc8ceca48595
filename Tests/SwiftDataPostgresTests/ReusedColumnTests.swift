import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

/// Versions in which a column of the same name and type belongs to another property.
private enum Meters {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Meter.self] }

    @Model final class Meter {
      var first = 1
      var second = 2
      init() {}
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Meter.self] }

    @Model final class Meter {
      @Attribute(originalName: "first") var second = 0
      init() {}
    }
  }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct ReusedColumnTests {
  private struct Seen {
    var reads = 0
    var values: Set<Int> = []
    var failures: [String] = []
  }

  /// Threads read with the old models all the time while another container migrates. No read may return a
  /// value of the other property, however short after the commit it is.
  @Test func noReadTakesANewColumnForAnOldOne() throws {
    for _ in 0..<3 {
      let store = try MigratedServerStore()
      let old = try store.container(Schema(versionedSchema: Meters.V1.self))
      let context = ModelContext(old)
      context.insert(Meters.V1.Meter())
      try context.save()
      let seen = Mutex(Seen())
      let readers = DispatchGroup()
      for number in 0..<2 {
        readers.enter()
        Thread.detachNewThread {
          defer { readers.leave() }
          do {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
              let context = ModelContext(old)
              let values = try context.fetch(FetchDescriptor<Meters.V1.Meter>()).map(\.second)
              seen.withLock {
                $0.reads += 1
                $0.values.formUnion(values)
              }
            }
          } catch {
            seen.withLock { $0.failures.append("\(number): \(error)") }
          }
        }
      }
      while seen.withLock(\.reads) < 50 { Thread.sleep(forTimeInterval: 0.01) }
      let new = try store.open(Meters.V2.self) { $0.allowsMigrationLosses = true }
      readers.wait()
      #expect(try new.fetch(FetchDescriptor<Meters.V2.Meter>()).map(\.second) == [1])
      let result = seen.withLock(\.self)
      #expect(result.values == [2])
      #expect(result.failures.count == 2)
      #expect(result.failures.allSatisfy { $0.contains("was migrated by another process") })
    }
  }
}
