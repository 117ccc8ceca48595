import Foundation
import SwiftData
import Testing

/// What fresh rows and other contexts do to the state of a model.
@Suite struct ExternalLifeCycleTests {
  @Test(arguments: ["registered", "fault", "partial"])
  func aFreshRowRegistersAModel(_ before: String) throws {
    let bench = try LifeCycleBench()
    let book =
      switch before {
      case "registered": try bench.registered()
      case "fault": try bench.fault()
      default: try bench.partialFault()
      }
    _ = try bench.context.fetch(FetchDescriptor<Book>())
    #expect(try bench.state(book) == .registered)
    #expect(bench.statements(reading: book) == 0)
  }

  @Test func aFreshRowComesUnderUnsavedValues() throws {
    let bench = try LifeCycleBench()
    let book = try bench.changed()
    try bench.editThroughOther(book) { $0.pages = 7 }
    _ = try bench.context.fetch(FetchDescriptor<Book>())
    #expect(try bench.state(book) == .changed)
    #expect(book.title == "edited" && book.pages == 7)
    bench.context.delete(book)
    try bench.editThroughOther(book) { $0.pages = 8 }
    #expect(try bench.state(book) == .deleted)
    bench.context.rollback()
    #expect(try bench.state(book) == .registered)
    #expect(book.title == "stored" && book.pages == 8)
  }

  @Test func anExternalChangeBringsAFreshRow() throws {
    let bench = try LifeCycleBench()
    let book = try bench.registered()
    try bench.editThroughOther(book) { $0.title = "theirs" }
    #expect(try bench.state(book) == .registered)
    #expect(book.title == "theirs")
  }

  @Test func aPartialRowThatDiffersMakesAPartialFault() throws {
    let folder = try TemporaryFolder()
    let recorder = StatementRecorder()
    var configuration = ModelConfiguration(url: folder.store)
    configuration.statementLog = recorder.log()
    let context = ModelContext(
      try ModelContainer(for: Schema(Library.types), configurations: configuration))
    context.insert(Book(title: "stored", pages: 1))
    try context.save()
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    #expect(book.pages == 1)
    try SQLiteFile.execute("UPDATE ZBOOK SET ZTITLE = 'theirs', ZPAGES = 2", in: folder.store)
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    _ = try context.fetch(descriptor)
    #expect(try LifeCycleState(book, in: context) == .registered)
    #expect(recorder.during { _ = book.title }.isEmpty)
    #expect(recorder.during { _ = book.pages }.count == 1)
    #expect(book.title == "theirs" && book.pages == 2)
  }

  // MARK: External deletion

  @Test(arguments: ["registered", "fault", "changed", "deleted"])
  func anExternalDeletionLosesTheModel(_ before: String) throws {
    let bench = try LifeCycleBench()
    let book =
      switch before {
      case "registered": try bench.registered()
      case "fault": try bench.fault()
      case "changed": try bench.changed()
      default: try bench.deleted(bench.registered())
      }
    try bench.deleteThroughOther(book)
    #expect(try bench.state(book) == .gone)
    let known: Book? = bench.context.registeredModel(for: book.persistentModelID)
    #expect(known === book)
    switch before {
    case "changed":
      try bench.context.save()
      #expect(book.title == "edited")
    case "deleted": try bench.context.save()
    default:
      book.title = "edited"
      #expect(!bench.context.hasChanges)
      try bench.context.save()
    }
    #expect(try bench.titles().isEmpty)
    #expect(try bench.state(book) == .gone)
    #expect(!bench.context.hasChanges)
    try bench.context.save()
  }

  @Test func aBatchDeletionDetachesModels() throws {
    let bench = try LifeCycleBench()
    let book = try bench.registered()
    try bench.context.delete(model: Book.self)
    #expect(try bench.state(book) == .gone)
    #expect(book.title == "stored")
    book.title = "of no context"
    #expect(!bench.context.hasChanges)
    try bench.context.save()
    bench.context.insert(book)
    try bench.context.save()
    #expect(try bench.titles() == ["of no context"])
  }
}
