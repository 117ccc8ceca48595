import Foundation
import SwiftData
import SwiftDataStores
import Testing

/// A context that refuses to update stored rows with new models (`uniquenessPolicy`).
@Suite struct UniquenessPolicyTests {
  @Test(arguments: Kind.all)
  func aStoredValueIsRefused(_ kind: Kind) throws {
    let open = try kind.make()
    let context = ModelContext(try open())
    let stored = Author("Tove", born: 1914)
    context.insert(stored)
    try context.save()
    context.uniquenessPolicy = .refuse
    let (new, other) = (Author("Tove", born: 1), Author("Astrid"))
    context.insert(other)
    context.insert(new)
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == stored.persistentModelID)
    #expect(
      error?.reason
        == .uniqueValueTaken(
          entity: "Author", properties: ["name"], holder: stored.persistentModelID))
    #expect(context.insertedModelsArray.count == 2)
    #expect(try ModelContext(open()).all(Author.self).map(\.born) == [1914])
    new.name = "Selma"
    try context.save()
    context.insert(Author("Tove", born: 2))
    context.uniquenessPolicy = .upsert
    try context.save()
    #expect(try ModelContext(open()).author("Tove")?.born == 2)
  }

  @Test(arguments: Kind.all)
  func twoNewModelsWithOneValueAreRefused(_ kind: Kind) throws {
    let open = try kind.make()
    let context = ModelContext(try open())
    context.uniquenessPolicy = .refuse
    context.insert(Author("Tove", born: 1))
    context.insert(Author("Tove", born: 2))
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error != nil && error?.holder == nil)
    #expect(try ModelContext(open()).all(Author.self).isEmpty)
  }

  @Test(arguments: Kind.all)
  func theValueOfADeletedRowIsFree(_ kind: Kind) throws {
    let open = try kind.make()
    let context = ModelContext(try open())
    let stored = Author("Tove")
    context.insert(stored)
    try context.save()
    context.uniquenessPolicy = .refuse
    context.delete(stored)
    context.insert(Author("Tove", born: 2))
    try context.save()
    #expect(try ModelContext(open()).all(Author.self).map(\.born) == [2])
  }

  /// Stores of two containers on one file have rows of their own in memory.
  @Test func aValueThatAnotherStoreOfTheFileHasSavedIsRefused() throws {
    let folder = try Folder()
    let context = ModelContext(try folder.open(library))
    context.uniquenessPolicy = .refuse
    context.insert(Author("Tove", born: 1))
    let other = ModelContext(try folder.open(library))
    let theirs = Author("Tove", born: 2)
    other.insert(theirs)
    try other.save()
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == theirs.persistentModelID)
    #expect(try ModelContext(folder.open(library)).all(Author.self).map(\.born) == [2])
  }
}
