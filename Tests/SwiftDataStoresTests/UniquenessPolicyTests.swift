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

  /// Two stored models, and a new one with the value that the save gives to the second.
  private func takenByAnUpdate(
    _ open: () throws -> ModelContainer
  ) throws -> (context: ModelContext, updated: Author, new: Author) {
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    let (stored, updated) = (Author("Tove", born: 1914), Author("Astrid", born: 1907))
    context.insert(stored)
    context.insert(updated)
    try context.save()
    updated.name = "Selma"
    let new = Author("Selma", born: 1858)
    context.insert(new)
    return (context, updated, new)
  }

  @Test(arguments: Kind.all)
  func aValueThatAnUpdateOfTheSaveTakesIsRefused(_ kind: Kind) throws {
    let open = try kind.make()
    let (context, updated, new) = try takenByAnUpdate(open)
    context.uniquenessPolicy = .refuse
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == updated.persistentModelID)
    #expect(Set(try ModelContext(open()).all(Author.self).map(\.name)) == ["Tove", "Astrid"])
    new.name = "Astrid"
    try context.save()
    #expect(try ModelContext(open()).author("Selma")?.born == 1907)
    #expect(try ModelContext(open()).author("Astrid")?.born == 1858)
  }

  @Test(arguments: Kind.all)
  func aNewModelBecomesTheRowThatAnUpdateOfTheSaveGivesItsValue(_ kind: Kind) throws {
    let open = try kind.make()
    let (context, updated, new) = try takenByAnUpdate(open)
    new.books = [Book("Gösta")]
    try context.save()
    #expect(new.persistentModelID == updated.persistentModelID)
    #expect(updated.born == 1858)
    let other = ModelContext(try open())
    #expect(Set(try other.all(Author.self).map(\.name)) == ["Tove", "Selma"])
    #expect(try other.author("Selma")?.born == 1858)
    #expect(try other.author("Selma")?.books.map(\.title) == ["Gösta"])
  }

  /// The new model does not hide that another row has the value too.
  @Test(arguments: Kind.all, [ModelContext.UniquenessPolicy.upsert, .refuse])
  func anUpdateThatTakesAStoredValueIsRefused(
    _ kind: Kind, policy: ModelContext.UniquenessPolicy
  ) throws {
    let open = try kind.make()
    let (context, updated, new) = try takenByAnUpdate(open)
    context.uniquenessPolicy = policy
    updated.name = "Tove"
    #expect(throws: (any Error).self) { try context.save() }
    new.name = "Tove"
    #expect(throws: (any Error).self) { try context.save() }
    #expect(Set(try ModelContext(open()).all(Author.self).map(\.name)) == ["Tove", "Astrid"])
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
