import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// Saves in which a store takes part that can't take a save back.
@Suite struct MixedStoresTests {
  typealias Custom = MemoryStore<ValuesSnapshot>

  @Test func aCustomStoreIsAskedLast() throws {
    let behaviour = MemoryStoreBehaviour<ValuesSnapshot>()
    var custom = Custom.Configuration(behaviour: behaviour)
    custom.schema = Schema([Archive.Note.self])
    let container = try ModelContainer(
      for: Schema([Archive.Note.self, Graph.Passport.self, Graph.Person.self]),
      configurations: [
        custom,
        ModelConfiguration(
          "default", schema: Schema([Graph.Passport.self, Graph.Person.self]),
          isStoredInMemoryOnly: true),
      ])
    let context = ModelContext(container)
    let passports = [Graph.Passport(1), Graph.Passport(2)]
    for passport in passports { context.insert(passport) }
    try context.save()
    context.insert(Archive.Note("new"))
    let other = ModelContext(container)
    let taken = try #require(try other.fetch(FetchDescriptor<Graph.Passport>()).first)
    // Not seen here before the store refuses it.
    taken.number = 7
    try other.save()
    passports[1].number = 7
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try context.stored(Archive.Note.self).isEmpty)
    passports[1].number = 8
    try context.save()
    #expect(try context.count(Archive.Note.self) == 1)
  }

  enum NotesOne: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Archive.Note.self] }
  }

  enum NotesPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesOne.self] }
    static var stages: [MigrationStage] { [] }
  }

  @Test func aCustomStoreReceivesTheMigrationPlan() throws {
    let behaviour = MemoryStoreBehaviour<ValuesSnapshot>()
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesOne.self), migrationPlan: NotesPlan.self,
      configurations: [Custom.Configuration(behaviour: behaviour)])
    #expect(behaviour.count("plan NotesPlan") == 1)
    #expect(container.migrationPlan == NotesPlan.self)
    _ = try ModelContainer(
      for: Schema(versionedSchema: NotesOne.self),
      configurations: [Custom.Configuration(behaviour: behaviour)])
    #expect(behaviour.count("plan NotesPlan") == 1)
  }
}
