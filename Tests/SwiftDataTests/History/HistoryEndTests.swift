import Foundation
import SwiftData
import Synchronization
import Testing

/// A save continues the history from the end that the last commit of its store has left, and reads that end after
/// other writers.
@Suite struct HistoryEndTests {
  private final class EndReads: Sendable {
    private let count = Mutex(0)

    var log: StatementLog {
      StatementLog { event in
        guard case .statement(let statement) = event else { return }
        let isRead = statement.sql.contains("max(\"Z_MAX\")")
        if isRead { self.count.withLock { $0 += 1 } }
      }
    }

    func during(_ body: () throws -> Void) rethrows -> Int {
      count.withLock { $0 = 0 }
      try body()
      return count.withLock { $0 }
    }
  }

  private struct Stop: Error {}

  @Test func theEndIsReadAgainAfterOthersOnly() throws {
    let reads = EndReads()
    let store = try HistoryStore(Library.types) { $0.statementLog = reads.log }
    let context = store.context
    let shelf = Shelf(label: "")
    context.insert(shelf)
    #expect(try reads.during { try context.save() } == 1)
    func save(_ context: ModelContext) throws {
      let shelf = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
      shelf.label += "."
      try context.save()
    }
    #expect(
      try reads.during {
        for _ in 0..<3 { try save(context) }
        try context.transaction { for _ in 0..<2 { try save(context) } }
        try save(context)
        try save(ModelContext(context.container))
      } == 0)
    // After a rollback the end is not known.
    try? context.transaction {
      try save(context)
      throw Stop()
    }
    #expect(try reads.during { for _ in 0..<2 { try save(context) } } == 1)

    let other = try store.reopened()
    try save(other)
    #expect(try reads.during { for _ in 0..<2 { try save(context) } } == 1)
    try save(try store.reopened { $0.keepsHistory = false })
    #expect(try reads.during { for _ in 0..<2 { try save(context) } } == 1)
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try reads.during { for _ in 0..<2 { try save(context) } } == 1)
    try context.transaction {
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(try reads.during { try save(context) } == 1)
    }
    // Another author may have no text yet.
    context.author = "new"
    #expect(try reads.during { for _ in 0..<2 { try save(context) } } == 1)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 3)
  }

  /// Writers with and without history, transactions that fail, and deletions of the history.
  @Test(arguments: 0..<UInt64(6))
  func noNumberIsUsedTwice(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let store = try HistoryStore(Library.types)
    let contexts = [
      store.context, ModelContext(store.context.container), try store.reopened(),
      try store.reopened { $0.keepsHistory = false },
    ]
    var last: (transaction: Int64, change: Int) = (0, 0)
    for step in 0..<120 {
      let context = contexts[Int.random(in: 0..<4, using: &random)]
      func save() throws {
        context.insert(Shelf(label: "\(step)"))
        try context.save()
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        try context.transaction {
          try save()
          if Bool.random(using: &random) { try context.delete(model: Shelf.self) }
          try save()
        }
      case 1:
        try? context.transaction {
          try save()
          throw Stop()
        }
        context.rollback()
      case 2:
        var old = HistoryDescriptor<DefaultHistoryTransaction>()
        if Bool.random(using: &random) { old.fetchLimit = 2 }
        try context.transaction {
          try context.deleteHistory(old)
          if Bool.random(using: &random) { try save() }
        }
      case 3: try context.delete(model: Shelf.self)
      default: try save()
      }
      let transactions = try contexts[0].fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>())
      let numbers = transactions.map(\.transactionIdentifier)
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
      let changes = try store.lines("SELECT Z_PK FROM ACHANGE ORDER BY Z_PK").compactMap { Int($0) }
      // What was added has numbers after all earlier ones.
      let (newest, change) = (numbers.last ?? 0, changes.last ?? 0)
      if let added = transactions.last, added.transactionIdentifier > last.transaction {
        #expect(added.changes.isEmpty || change > last.change, "step \(step)")
      }
      last = (max(last.transaction, newest), max(last.change, change))
      #expect(try store.numbers().isEmpty == transactions.isEmpty)
    }
  }
}
