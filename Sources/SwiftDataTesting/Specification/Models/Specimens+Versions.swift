import SwiftData

extension Specimens {
  enum VersionOne: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models: [any PersistentModel.Type] = [Log.self]

    @Model final class Log {
      var text: String

      init(_ text: String) { self.text = text }
    }
  }

  enum VersionTwo: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Log.self]

    @Model final class Log {
      var text: String
      var note: String?

      init(_ text: String) { self.text = text }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [VersionOne.self, VersionTwo.self]
    static let stages = [
      MigrationStage.lightweight(fromVersion: VersionOne.self, toVersion: VersionTwo.self)
    ]
  }
}
