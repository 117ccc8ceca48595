import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Lists whose members get another type in a transformation: those that the new type can contain stay.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct ListTransformTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var number: Int
      var list: [Int]
      init(_ number: Int, _ list: [Int]) { (self.number, self.list) = (number, list) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
      var number: Int
      var list: [Int8]
      init(_ number: Int) { (self.number, list) = (number, []) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: V1.self, toVersion: V2.self,
        transformation: { transformation in
          try transformation.forEach(V1.Note.self, V2.Note.self) { old, new, _ in
            if old.list.contains(300) { new?.list = [3] }
          }
        })
    ]
  }

  @Test func listsThatFitStay() throws {
    let store = try MigratedServerStore()
    let old = try store.open(V1.self)
    for number in 0..<1200 { old.insert(V1.Note(number, number == 1100 ? [300] : [number % 100])) }
    try old.save()
    let error = #expect(throws: SwiftDataError.self) { try store.open(V2.self, plan: Plan.self) }
    #expect(error?.description.contains("1 value of Note.list") == true)
    let context = try store.open(V2.self, plan: Plan.self) { $0.allowsMigrationLosses = true }
    let notes = try context.fetch(FetchDescriptor<V2.Note>(sortBy: [SortDescriptor(\.number)]))
    #expect(notes.count == 1200)
    #expect(
      notes.allSatisfy { $0.list == [$0.number == 1100 ? 3 : Int8($0.number % 100)] })
  }
}
