import Foundation
import SwiftData
import Testing

/// What tells the states apart from outside. A fault is a registered model that a read leads to a
/// statement.
enum LifeCycleState {
  case transient, inserted, registered, changed, deleted, gone

  init(_ model: some PersistentModel, in context: ModelContext) throws {
    #expect(model.modelContext == nil || model.modelContext === context)
    let lists = [
      context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray,
    ].map { list in list.contains { $0 === model } }
    switch (model.modelContext != nil, model.isDeleted, lists) {
    case (false, false, [false, false, false]): self = .transient
    case (true, false, [true, false, false]): self = .inserted
    case (true, false, [false, false, false]): self = .registered
    case (true, false, [false, true, false]): self = .changed
    case (true, true, [false, false, true]): self = .deleted
    case (false, true, _): self = .gone
    case (let belongs, let isDeleted, let lists):
      throw Contradiction(text: "\(belongs) \(isDeleted) \(lists)")
    }
    let isPending = self == .inserted || self == .changed || self == .deleted
    if self != .gone { #expect(model.hasChanges == isPending) }
  }
}

private struct Contradiction: Error { let text: String }

/// A context whose statements are counted, and another one of the same container.
final class LifeCycleBench {
  let recorder = StatementRecorder()
  let context: ModelContext
  let other: ModelContext

  init() throws {
    let container = try recorder.container(Library.types)
    context = ModelContext(container)
    other = ModelContext(container)
  }

  /// The identifier of a row that no model of `context` shows.
  func row(_ title: String = "stored") throws -> PersistentIdentifier {
    let book = Book(title: title, pages: 1)
    other.insert(book)
    try other.save()
    context.processPendingChanges()
    return book.persistentModelID
  }

  func fault() throws -> Book { try #require(context.model(for: row()) as? Book) }

  func registered() throws -> Book {
    let book = try fault()
    #expect(book.title == "stored")
    return book
  }

  func partialFault() throws -> Book {
    _ = try row()
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    return try #require(try context.fetch(descriptor).first)
  }

  func changed() throws -> Book {
    let book = try registered()
    book.title = "edited"
    return book
  }

  func deleted(_ book: Book) -> Book {
    context.delete(book)
    return book
  }

  func state(_ model: some PersistentModel) throws -> LifeCycleState {
    try LifeCycleState(model, in: context)
  }

  /// How many statements a read of all values takes.
  func statements(reading book: Book) -> Int {
    recorder.during { _ = (book.title, book.pages, book.price, book.isRead) }.count
  }

  /// Deletes the row of a model of `context` through the other context.
  func deleteThroughOther(_ book: Book) throws {
    other.delete(other.model(for: book.persistentModelID) as! Book)
    try other.save()
    context.processPendingChanges()
  }

  func editThroughOther(_ book: Book, _ edit: (Book) -> Void) throws {
    edit(other.model(for: book.persistentModelID) as! Book)
    try other.save()
    context.processPendingChanges()
  }

  func titles() throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Book>()).map(\.title).sorted()
  }
}
