import Foundation
import SwiftData
import SwiftDataTesting
import Testing

@Suite struct MigrationCrashTests {
  @Test func aMigrationIsRepeatedAfterACrashAtAnyStatement() throws {
    let released = Seed(
      json: Data(#"{"Note": [{"text": "first"}, {"text": "second"}]}"#.utf8))
    var runs: Set<Int> = []
    var number = 1
    while true {
      let temporary = try TemporaryContainer(
        versionedSchema: Version1.self, storage: .file, seed: released)
      let counter = Counter()
      do {
        try Plan.$counter.withValue(counter) {
          _ = try temporary.reopen(
            for: Schema(versionedSchema: Version2.self), migrationPlan: Plan.self,
            crashingAfterStatement: number)
        }
      } catch let failure as ExpectationFailure {
        #expect(failure.expected == "a crash after statement \(number) of the opening")
        #expect(failure.outcome.hasPrefix("it has only "))
        break
      }
      try expectContents(
        """
        {
          "Note": [
            {"id": "1", "body": "first!"},
            {"id": "2", "body": "second!"}
          ]
        }
        """, in: temporary)
      runs.insert(counter.value)
      number += 11
    }
    // Before the commit the stage runs again, afterwards it does not.
    #expect(runs == [1, 2])
    #expect(number > 20)
  }

  @Test func aStoreInMemoryHasNoMigration() throws {
    let temporary = try TemporaryContainer(versionedSchema: Version1.self)
    #expect(throws: TemporaryContainerError.self) {
      try temporary.reopen(
        for: Schema(versionedSchema: Version2.self), migrationPlan: Plan.self,
        crashingAfterStatement: 1)
    }
  }
}

private enum Version1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var text: String

    init(text: String) { self.text = text }
  }
}

private enum Version2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(originalName: "text") var body: String

    init(body: String) { self.body = body }
  }
}

private enum Plan: SchemaMigrationPlan {
  /// Counts the runs of the stage's code.
  @TaskLocal static var counter = Counter()

  static let schemas: [any VersionedSchema.Type] = [Version1.self, Version2.self]
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Version1.self, toVersion: Version2.self, willMigrate: nil,
        didMigrate: { context in
          Plan.counter.add()
          for note in try context.fetch(FetchDescriptor<Version2.Note>()) { note.body += "!" }
          try context.save()
        })
    ]
  }
}
