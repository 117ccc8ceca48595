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
}
