import Foundation
import SwiftData
import Testing

/// The states of a model and what leads from one to another, as users see them.
@Suite struct ModelLifeCycleTests {
  // MARK: From nothing

  @Test func aNewModelIsTransient() throws {
    let bench = try LifeCycleBench()
    let book = Book(title: "new", pages: 1)
    #expect(try bench.state(book) == .transient)
    #expect(book.persistentModelID.storeIdentifier == nil)
  }

  @Test func aFetchedModelIsRegisteredAndHasItsRow() throws {
    let bench = try LifeCycleBench()
    let identifier = try bench.row()
    let book = try #require(try bench.context.fetch(FetchDescriptor<Book>()).first)
    #expect(try bench.state(book) == .registered)
    #expect(bench.statements(reading: book) == 0)
    let known: Book? = bench.context.registeredModel(for: identifier)
    #expect(known === book)
  }

  @Test func aModelByIdentifierOrRelationshipIsAFaultUntilItIsRead() throws {
    let bench = try LifeCycleBench()
    let book = try bench.fault()
    #expect(bench.statements(reading: book) == 1)
    #expect(bench.statements(reading: book) == 0)
    #expect(try bench.state(book) == .registered)
    let author = Author(name: "a")
    bench.other.insert(author)
    try bench.editThroughOther(book) { $0.author = author }
    let partner = try #require(book.author)
    // Whether its row exists is not known before it is read.
    #expect(bench.recorder.during { _ = partner.isDeleted }.count == 1)
    #expect(bench.recorder.during { _ = (partner.name, partner.modelContext) }.isEmpty)
    #expect(try bench.state(partner) == .registered)
  }

  @Test func aFetchOfSomePropertiesLeavesThePartialFault() throws {
    let bench = try LifeCycleBench()
    let book = try bench.partialFault()
    #expect(try bench.state(book) == .registered)
    #expect(bench.recorder.during { _ = book.title }.isEmpty)
    #expect(bench.statements(reading: book) == 1)
    #expect(bench.statements(reading: book) == 0)
  }

  // MARK: Insertion

  @Test func insertingMakesATransientModelPending() throws {
    let bench = try LifeCycleBench()
    let book = Book(title: "new", pages: 1)
    let identifier = book.persistentModelID
    bench.context.insert(book)
    #expect(try bench.state(book) == .inserted)
    let known: Book? = bench.context.registeredModel(for: identifier)
    #expect(known === book)
  }

  /// A model without a row gets a new row and a new identifier, whatever was pending before.
  @Test(arguments: ["registered", "changed", "deleted", "saved", "missing"])
  func insertingAModelWhoseRowIsGoneMakesItNew(_ before: String) throws {
    let bench = try LifeCycleBench()
    let book =
      switch before {
      case "changed": try bench.changed()
      case "deleted", "saved": try bench.deleted(bench.registered())
      case "missing": try bench.fault()
      default: try bench.registered()
      }
    switch before {
    case "saved": try bench.context.save()
    case "missing":
      try bench.other.delete(model: Book.self)
      (book.title, book.pages, book.price, book.isRead) = ("stored", 1, 2, true)
      try bench.context.save()
    default: try bench.deleteThroughOther(book)
    }
    #expect(try bench.state(book) == .gone)
    let old = book.persistentModelID
    bench.context.insert(book)
    #expect(try bench.state(book) == .inserted)
    #expect(book.persistentModelID != old)
    let known: Book? = bench.context.registeredModel(for: old)
    #expect(known == nil)
    try bench.context.save()
    #expect(try bench.state(book) == .registered)
    #expect(try bench.titles() == [before == "changed" ? "edited" : "stored"])
  }

  // MARK: Reading

  @Test(arguments: [false, true])
  func readingAFaultRegistersIt(_ isPartial: Bool) throws {
    let bench = try LifeCycleBench()
    let book = try isPartial ? bench.partialFault() : bench.fault()
    #expect(book.pages == 1)
    #expect(try bench.state(book) == .registered)
    #expect(bench.statements(reading: book) == 0)
  }

  @Test func readingAFaultWithoutARowShowsThatItIsGone() throws {
    let bench = try LifeCycleBench()
    let identifier = try bench.row()
    let book = try #require(bench.context.model(for: identifier) as? Book)
    // A read is no place to apply external changes, so the model is still a fault.
    try bench.other.delete(model: Book.self)
    _ = book.title
    #expect(try bench.state(book) == .gone)
  }

  @Test func aFaultWhoseStoreCannotBeReadStaysOne() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.store)
    let container = try ModelContainer(for: Schema(Library.types), configurations: configuration)
    let other = ModelContext(container)
    let stored = Book(title: "stored", pages: 1)
    other.insert(stored)
    try other.save()
    let context = ModelContext(container)
    let book = try #require(context.model(for: stored.persistentModelID) as? Book)
    try SQLiteFile.execute("ALTER TABLE ZBOOK RENAME TO HIDDEN", in: folder.store)
    #expect(book.title == "")
    #expect(try LifeCycleState(book, in: context) == .registered)
    try SQLiteFile.execute("ALTER TABLE HIDDEN RENAME TO ZBOOK", in: folder.store)
    #expect(book.title == "stored")
    #expect(try LifeCycleState(book, in: context) == .registered)
  }

  // MARK: Edits

  @Test(arguments: ["registered", "fault", "partial"])
  func anEditMakesAModelPendingAndReadsItsRow(_ before: String) throws {
    let bench = try LifeCycleBench()
    let book =
      switch before {
      case "registered": try bench.registered()
      case "fault": try bench.fault()
      default: try bench.partialFault()
      }
    book.title = "edited"
    #expect(try bench.state(book) == .changed)
    #expect(bench.statements(reading: book) == 0)
    #expect(book.pages == 1)
  }

  @Test func undoingTheEditsLeavesNothingPending() throws {
    let bench = try LifeCycleBench()
    let book = try bench.registered()
    bench.context.undoManager = UndoManager()
    book.title = "edited"
    bench.context.processPendingChanges()
    bench.context.undoManager?.undo()
    #expect(try bench.state(book) == .registered)
    #expect(book.title == "stored")
  }

  // MARK: Deletion

  @Test func deletingANewModelTakesItOutOfTheContext() throws {
    let bench = try LifeCycleBench()
    let book = Book(title: "new", pages: 1)
    bench.context.insert(book)
    let identifier = book.persistentModelID
    bench.context.delete(book)
    #expect(try bench.state(book) == .transient)
    let known: Book? = bench.context.registeredModel(for: identifier)
    #expect(known == nil)
    bench.other.insert(book)
    #expect(book.modelContext === bench.other)
  }

  @Test func deletingAStoredModelIsPending() throws {
    let bench = try LifeCycleBench()
    for book in [try bench.registered(), try bench.fault(), try bench.changed()] {
      bench.context.delete(book)
      #expect(try bench.state(book) == .deleted)
    }
    let partial = try LifeCycleBench()
    let book = try partial.deleted(partial.partialFault())
    #expect(try partial.state(book) == .deleted)
  }

  @Test func takingADeletionBackBringsTheEditsBack() throws {
    let bench = try LifeCycleBench()
    let book = try bench.deleted(bench.registered())
    bench.context.insert(book)
    #expect(try bench.state(book) == .registered)
    let edited = try bench.deleted(bench.changed())
    bench.context.insert(edited)
    #expect(try bench.state(edited) == .changed)
    #expect(edited.title == "edited")
    let fault = try bench.deleted(bench.fault())
    bench.context.insert(fault)
    #expect(try bench.state(fault) == .registered)
    #expect(fault.title == "stored")
  }

  @Test func undoingADeletionRegistersTheModelAgain() throws {
    let bench = try LifeCycleBench()
    let book = try bench.registered()
    bench.context.undoManager = UndoManager()
    bench.context.delete(book)
    bench.context.processPendingChanges()
    bench.context.undoManager?.undo()
    #expect(try bench.state(book) == .registered)
    bench.context.delete(book)
    try bench.context.save()
    #expect(try bench.state(book) == .gone)
    bench.context.undoManager?.undo()
    #expect(try bench.state(book) == .inserted)
  }

  // MARK: Saving

  @Test func aSaveRegistersNewAndChangedModelsAndDetachesDeletedOnes() throws {
    let bench = try LifeCycleBench()
    let new = Book(title: "new", pages: 1)
    bench.context.insert(new)
    let temporary = new.persistentModelID
    let changed = try bench.changed()
    let deleted = try bench.deleted(bench.registered())
    try bench.context.save()
    #expect(try bench.state(new) == .registered)
    #expect(try bench.state(changed) == .registered)
    #expect(try bench.state(deleted) == .gone)
    #expect(new.persistentModelID.storeIdentifier != nil)
    let known: Book? = bench.context.registeredModel(for: temporary)
    #expect(known === new)
    let lost: Book? = bench.context.registeredModel(for: deleted.persistentModelID)
    #expect(lost === deleted)
    deleted.title = "of no context"
    #expect(!bench.context.hasChanges)
    try bench.context.save()
    #expect(try bench.titles() == ["edited", "new"])
  }

  @Test func anUpsertMakesTheOtherInstanceAFault() throws {
    let bench = try LifeCycleBench()
    let old = Author(name: "a")
    bench.context.insert(old)
    try bench.context.save()
    let new = Author(name: "a", born: Date(timeIntervalSince1970: 0))
    bench.context.insert(new)
    try bench.context.save()
    #expect(bench.recorder.during { _ = old.born }.count == 1)
    #expect(try bench.state(old) == .registered)
    #expect(try bench.state(new) == .registered)
    #expect(old.born == new.born)
  }

  // MARK: Rollback and the end of a context

  @Test func aRollbackTakesNewModelsOutAndRegistersTheOthers() throws {
    let bench = try LifeCycleBench()
    let new = Book(title: "new", pages: 1)
    bench.context.insert(new)
    let changed = try bench.changed()
    let deleted = try bench.deleted(bench.registered())
    let fault = try bench.deleted(bench.fault())
    bench.context.rollback()
    #expect(try bench.state(new) == .transient)
    #expect(try bench.state(changed) == .registered)
    #expect(changed.title == "stored")
    #expect(try bench.state(deleted) == .registered)
    #expect(try bench.state(fault) == .registered)
    #expect(fault.title == "stored")
    #expect(!bench.context.hasChanges)
  }

  @Test func aNewModelOutlivesItsContextAsATransientOne() throws {
    let bench = try LifeCycleBench()
    let book = Book(title: "new", pages: 1)
    do {
      let context = ModelContext(bench.context.container)
      context.insert(book)
    }
    #expect(try bench.state(book) == .transient)
    bench.context.insert(book)
    try bench.context.save()
    #expect(try bench.state(book) == .registered)
    #expect(try bench.titles() == ["new"])
  }
}
