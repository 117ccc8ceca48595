import Foundation
import SwiftData
import Synchronization
import Testing

/// Saves that refuse conflicts and upserts, where the context asks for it.
@Suite struct SavePolicyTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    context = ModelContext(container)
    context.conflictPolicy = .refuse
    context.uniquenessPolicy = .refuse
  }

  /// A sibling context, or one of another container.
  private func other(isSibling: Bool) throws -> ModelContext {
    if isSibling { return ModelContext(container) }
    return ModelContext(
      try ModelContainer(
        for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store)))
  }

  private func book(in context: ModelContext) throws -> Book {
    try #require(try context.fetch(FetchDescriptor<Book>()).first)
  }

  /// A book as this context and another one have it.
  private func sharedBook(
    isSibling: Bool
  ) throws -> (mine: Book, theirs: Book, other: ModelContext) {
    let mine = Book(title: "One", pages: 1)
    context.insert(mine)
    try context.save()
    let other = try other(isSibling: isSibling)
    return (mine, try book(in: other), other)
  }

  /// A change of a sibling context that a save has accepted is no conflict of later saves.
  @Test func aSaveEndsTheConflict() throws {
    let (mine, theirs, other) = try sharedBook(isSibling: true)
    mine.pages = 2
    theirs.title = "Theirs"
    try other.save()
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    context.conflictPolicy = .laterSaveWins
    try context.save()
    context.conflictPolicy = .refuse
    mine.pages = 3
    try context.save()
    #expect(try book(in: self.other(isSibling: false)).pages == 3)
  }

  /// The next edit is made on what the sibling has stored.
  @Test(arguments: [true, false])
  func theEndOfAnEditEndsTheConflict(isDeletion: Bool) throws {
    let undoManager = UndoManager()
    let (mine, theirs, other) = try sharedBook(isSibling: true)
    context.undoManager = undoManager
    if isDeletion { context.delete(mine) } else { mine.pages = 2 }
    context.processPendingChanges()
    theirs.title = "Theirs"
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Book>())
    if isDeletion { context.insert(mine) } else { undoManager.undo() }
    #expect(!context.hasChanges && mine.title == "Theirs" && mine.pages == 1)
    mine.pages = 3
    try context.save()
    let stored = try book(in: self.other(isSibling: false))
    #expect(stored.title == "Theirs" && stored.pages == 3)
  }

  /// The undo restores the relationship that the book had before the deletion.
  @Test func theUndoOfADeletionKeepsTheConflictOfWhatItRestores() throws {
    let undoManager = UndoManager()
    let (first, second) = (Author(name: "First"), Author(name: "Second"))
    context.insert(second)
    let mine = Book(title: "One", pages: 1, author: first)
    context.insert(mine)
    try context.save()
    let other = try other(isSibling: true)
    let theirs = try book(in: other)
    let theirSecond = try #require(
      try other.fetch(FetchDescriptor<Author>()).first { $0.name == "Second" })
    context.undoManager = undoManager
    context.delete(mine)
    context.processPendingChanges()
    theirs.author = theirSecond
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Book>())
    undoManager.undo()
    #expect(mine.author === first && context.hasChanges)
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.conflicts.contains { $0.identifier == mine.persistentModelID } == true)
    #expect(try book(in: self.other(isSibling: false)).author?.name == "Second")
  }

  /// The log of the process names the change of the sibling only.
  @Test func aChangeOfAnotherProcessBeforeThatOfASiblingIsInTheConflict() throws {
    let (mine, _, foreign) = try sharedBook(isSibling: false)
    let sibling = ModelContext(container)
    let shown = try book(in: sibling)
    mine.pages = 2
    try book(in: foreign).pages = 7
    try foreign.save()
    shown.title = "Sibling"
    try sibling.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(
      Set(error?.conflicts.first?.properties.map(\.name) ?? []) == ["pages", "title"])
  }

  @Test(arguments: [true, false])
  func observersAreNotifiedOfAChangeOfAnotherProcessBeforeThatOfASibling(
    isEdited: Bool
  ) throws {
    let mine = Book(title: "One", pages: 1, author: Author(name: "a"))
    context.insert(mine)
    try context.save()
    if isEdited { mine.price = 3 }
    try context.save()
    let (sibling, foreign) = (try other(isSibling: true), try other(isSibling: false))
    let shown = try book(in: sibling)
    try book(in: foreign).pages = 7
    try foreign.save()
    shown.title = "Sibling"
    try sibling.save()
    let pages = Mutex(0)
    let price = Mutex(0)
    withObservationTracking {
      _ = mine.pages
    } onChange: {
      pages.withLock { $0 += 1 }
    }
    withObservationTracking {
      _ = mine.price
    } onChange: {
      price.withLock { $0 += 1 }
    }
    context.processPendingChanges()
    #expect(mine.pages == 7 && mine.title == "Sibling")
    #expect(pages.withLock { $0 } == 1)
    #expect(price.withLock { $0 } == 0)
  }

  @Test(arguments: [true, false]) func aChangedModelIsRefusedWithBothValues(
    isSibling: Bool
  ) throws {
    let (mine, theirs, other) = try sharedBook(isSibling: isSibling)
    mine.pages = 2
    theirs.pages = 7
    theirs.title = "Theirs"
    try other.save()
    var earlier: SwiftDataError.Reason?
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
      let conflict = try #require(error?.conflicts.first)
      // What is not edited shows the values of another container after the first refusal.
      #expect(earlier == nil || !isSibling || error?.reason == earlier)
      earlier = error?.reason
      #expect(conflict.identifier == mine.persistentModelID && !conflict.isDeleted)
      let properties = Dictionary(
        uniqueKeysWithValues: conflict.properties.map { ($0.name, $0) })
      #expect(Set(properties.keys) == ["pages", "title"])
      #expect(properties["pages"] != properties["title"])
      #expect(properties["pages"]?.storedValue as? Int == 7)
      #expect(properties["pages"]?.unsavedValue as? Int == 2)
      #expect(properties["pages"]?.isChanged == true && properties["title"]?.isChanged == false)
      #expect(properties["title"]?.storedValue as? String == "Theirs")
      #expect(error?.description.contains("pages") == true && context.hasChanges)
      #expect(error?.description.contains("Theirs") == false)
    }
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 7)
    context.rollback()
    #expect(mine.pages == 7 && mine.title == "Theirs")
    mine.pages += 1
    try context.save()
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 8)
  }

  @Test(arguments: [true, false]) func aFetchBetweenEditAndSaveHidesNoConflict(
    isSibling: Bool
  ) throws {
    let (mine, theirs, other) = try sharedBook(isSibling: isSibling)
    mine.pages = 2
    theirs.pages = 7
    try other.save()
    _ = try context.fetch(FetchDescriptor<Book>())
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    context.conflictPolicy = .laterSaveWins
    try context.save()
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 2)
  }

  enum UseOfPages: CaseIterable {
    case edit, editAfterReadingTheRest, deletion
  }

  /// The context has read the number of pages only, and decides by it.
  @Test(arguments: UseOfPages.allCases)
  func aChangeSinceAFetchOfSomePropertiesIsRefused(use: UseOfPages) throws {
    let (_, theirs, other) = try sharedBook(isSibling: false)
    let reader = ModelContext(container)
    reader.conflictPolicy = .refuse
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.pages]
    let mine = try #require(try reader.fetch(descriptor).first)
    theirs.pages = 7
    try other.save()
    let pages = mine.pages
    #expect(pages == 1)
    switch use {
    case .edit: mine.pages = pages + 1
    case .editAfterReadingTheRest:
      #expect(mine.title == "One")
      mine.pages = pages + 1
    case .deletion: reader.delete(mine)
    }
    let error = #expect(throws: SwiftDataError.saveConflict) { try reader.save() }
    #expect(error?.conflicts.first?.properties.map(\.name) == ["pages"])
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 7)
    reader.rollback()
    #expect(mine.pages == 7)
    mine.pages += 1
    try reader.save()
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 8)
  }

  enum LookAtPages: CaseIterable {
    case fetch, partialFetch, transaction, laterPolicy
  }

  /// The edit is made on the value that the other writer has stored.
  @Test(arguments: LookAtPages.allCases)
  func aChangeThatTheContextHasSeenSinceIsNoConflict(look: LookAtPages) throws {
    let (_, theirs, other) = try sharedBook(isSibling: false)
    let reader = ModelContext(container)
    reader.conflictPolicy = look == .laterPolicy ? .laterSaveWins : .refuse
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.pages]
    let mine = try #require(try reader.fetch(descriptor).first)
    theirs.pages = 7
    try other.save()
    #expect(mine.title == "One")
    switch look {
    case .fetch: _ = try book(in: reader)
    case .partialFetch: _ = try reader.fetch(descriptor)
    case .transaction: try reader.transaction {}
    case .laterPolicy: reader.conflictPolicy = .refuse
    }
    #expect(mine.pages == 7)
    mine.pages += 1
    try reader.save()
    #expect(try SQLiteFile.integer("SELECT ZPAGES FROM ZBOOK", in: folder.store) == 8)
  }

  @Test func aLinkOfAPartialRowThatADeletionHasEmptiedIsNoConflict() throws {
    let container = try ModelContainer(
      for: Graph.Person.self, Graph.Passport.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let holder = Graph.Person("Ann")
    holder.passport = Graph.Passport(1)
    writer.insert(holder)
    try writer.save()
    let context = ModelContext(container)
    context.conflictPolicy = .refuse
    var descriptor = FetchDescriptor<Graph.Passport>()
    descriptor.propertiesToFetch = [\.holder]
    let passport = try #require(try context.fetch(descriptor).first)
    context.delete(try #require(passport.holder))
    try context.save()
    #expect(passport.holder == nil)
    passport.number += 1
    try context.save()
    #expect(try context.stored(Graph.Passport.self).map(\.number) == [2])
  }

  @Model final class Shelf {
    var name = ""
    @Relationship(inverse: \Folio.shelf) var folio: Folio?

    init() {}
  }

  @Model final class Folio {
    var number = 1
    var shelf: Shelf?
    @Transient var mark = 0

    init() {}
  }

  @Test func aTransientValueStaysIfADeletionEmptiesALinkOfAPartialRow() throws {
    let container = try ModelContainer(
      for: Shelf.self, Folio.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let shelf = Shelf()
    shelf.folio = Folio()
    writer.insert(shelf)
    try writer.save()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Folio>()
    descriptor.propertiesToFetch = [\.shelf]
    let folio = try #require(try context.fetch(descriptor).first)
    folio.mark = 5
    context.delete(try #require(folio.shelf))
    try context.save()
    #expect(folio.mark == 5)
    #expect(folio.shelf == nil && folio.number == 1 && folio.mark == 5)
  }

  @Test(arguments: [true, false]) func aDeletedModelIsRefused(isSibling: Bool) throws {
    let mine = Book(title: "One", pages: 1)
    context.insert(mine)
    try context.save()
    let other = try other(isSibling: isSibling)
    other.delete(try book(in: other))
    mine.pages = 2
    try other.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.conflicts.map(\.isDeleted) == [true])
    #expect(error?.description.contains("insert a new model") == true)
    #expect(error?.publicMessage == "The Book was deleted by someone else in the meantime.")
    context.rollback()
    #expect(mine.isDeleted && mine.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    try context.save()
  }

  @Test(arguments: [true, false]) func theDeletionOfAChangedModelIsRefused(
    isSibling: Bool
  ) throws {
    let mine = Book(title: "One", pages: 1)
    context.insert(mine)
    try context.save()
    let other = try other(isSibling: isSibling)
    try book(in: other).pages = 9
    try other.save()
    if !isSibling {
      context.delete(mine)
    } else {
      // What the context has taken note of is read.
      context.delete(mine)
      #expect(mine.pages == 1)
    }
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    context.rollback()
    #expect(mine.pages == 9)
    context.delete(mine)
    try context.save()
  }

  @Test func modelsThatNobodyChangedAreSaved() throws {
    let mine = Book(title: "One", pages: 1)
    context.insert(mine)
    try context.save()
    for round in 0..<3 {
      mine.pages = round
      try context.save()
    }
    let other = try other(isSibling: true)
    other.insert(Book(title: "Other", pages: 0))
    try other.save()
    context.delete(mine)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test func anInsertThatMeetsARowIsRefused() throws {
    let ann = Author(name: "Ann")
    context.insert(ann)
    try context.save()
    let twin = Author(name: "Ann", born: .distantPast)
    context.insert(twin)
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == ann.persistentModelID)
    #expect(error?.entity == "Author" && error?.property == "name")
    #expect(error?.description.contains(ann.persistentModelID.description) == true)
    #expect(ann.born == nil && context.insertedModelsArray.count == 1)
    twin.name = "Bob"
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
    context.uniquenessPolicy = .upsert
    context.insert(Author(name: "Ann", born: .distantPast))
    try context.save()
    #expect(ann.born == .distantPast)
  }

  @Test func anInsertThatMeetsARowOfAnotherContainerIsRefused() throws {
    let other = try other(isSibling: false)
    other.insert(Author(name: "Ann"))
    try other.save()
    context.insert(Author(name: "Ann"))
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    other.delete(try #require(try other.fetch(FetchDescriptor<Author>()).first))
    try other.save()
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
  }

  /// A dog has the unique name of an animal.
  @Test func aRowOfAnotherClassIsRefusedToo() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(Zoo.types),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.uniquenessPolicy = .refuse
    let animal = Zoo.Animal("Ann")
    context.insert(animal)
    try context.save()
    let dog = Zoo.Dog("Ann")
    context.insert(dog)
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == animal.persistentModelID)
    context.uniquenessPolicy = .upsert
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    dog.name = "Bob"
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Zoo.Animal>()) == 2)
  }

  @Test func twoNewModelsWithOneValueAreRefused() throws {
    for _ in 0..<2 { context.insert(Author(name: "Ann")) }
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == nil && error?.property == "name")
    #expect(try context.count(Author.self) == 0)
  }

  @Test func aModelThatIsLookedUpFirstIsRefused() throws {
    let container = try ModelContainer(
      for: Upserting.Maker.self, Upserting.Product.self, Upserting.Country.self,
      Upserting.Seat.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.uniquenessPolicy = .refuse
    let maker = Upserting.Maker("a", "one")
    context.insert(maker)
    try context.save()
    context.insert(Upserting.Maker("a", "two"))
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(error?.holder == maker.persistentModelID && maker.title == "one")
  }
}
