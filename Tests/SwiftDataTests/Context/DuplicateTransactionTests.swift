import Foundation
import SwiftData
import Testing

/// Transactions that fail after an undo has inserted a deleted row again, which an upsert had given two instances.
@Suite(.databases) struct DuplicateTransactionTests {
  typealias Maker = Upserting.Maker

  private struct Failure: Error {}

  private let context: ModelContext
  private let first: Maker
  private let second: Maker
  private let undo = UndoManager()
  private let byCode = FetchDescriptor<Maker>(sortBy: [SortDescriptor(\.code)])

  init() throws {
    context = try Upserting.context()
    first = Maker("a", "one")
    context.insert(first)
    context.insert(Maker("b", "two"))
    try context.save()
    second = Maker("a", "imported")
    context.insert(second)
    try context.save()
    undo.groupsByEvent = false
    context.undoManager = undo
  }

  private func titles(_ descriptor: FetchDescriptor<Maker>) throws -> [String] {
    try context.fetch(descriptor).map(\.title)
  }

  /// Both instances showed a row that the transaction inserted, in place of the deleted one.
  @Test func aFailedTransactionDetachesAllInstancesOfItsRow() throws {
    context.delete(first)
    try context.save()
    undo.undo()
    let deleted = second.persistentModelID
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        #expect(first.persistentModelID == second.persistentModelID)
        #expect(first.modelContext === context && second.modelContext === context)
        second.title = "edited"
        throw Failure()
      }
    }
    #expect(first.modelContext == nil && second.modelContext == nil)
    #expect(second.persistentModelID == deleted && second.title == "imported")
    // The store gives this one the identifier that the transaction used.
    let new = Maker("c", "new")
    context.insert(new)
    try context.save()
    #expect(try context.fetch(byCode).last === new)
    second.title = "edited"
    try context.save()
    #expect(try titles(byCode) == ["two", "new"])
    #expect(new.title == "new")
  }

  @Test func aFailedTransactionRestoresBothInstancesThatItDeleted() throws {
    let row = first.persistentModelID
    for deletesAgain in [false, true] {
      #expect(throws: Failure.self) {
        try context.transaction {
          context.delete(first)
          try context.save()
          undo.undo()
          try context.save()
          if deletesAgain {
            context.delete(second)
            try context.save()
          }
          throw Failure()
        }
      }
      #expect(first.persistentModelID == row && second.persistentModelID == row)
      #expect(first.title == "imported" && second.title == "imported")
      #expect(try titles(byCode) == ["imported", "two"])
    }
    second.title = "edited"
    try context.save()
    #expect(first.title == "edited")
  }
}
