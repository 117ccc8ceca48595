import Foundation
import SwiftData
import Testing

/// Ten actors read, change, add and delete on one file at a time; meant for a build with the thread
/// sanitizer too. `ACTOR_SECONDS` is how long they do.
@Suite(.databases) struct TenActorsTests {
  @Test func tenActorsReadAndWriteSideBySide() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    let seconds = ProcessInfo.processInfo.environment["ACTOR_SECONDS"].flatMap(Double.init) ?? 1
    let end = ContinuousClock.now + .seconds(seconds)
    let balances = try await withThrowingTaskGroup(of: Keeper.Balance.self) { group in
      for number in 0..<10 {
        let keeper = Keeper(modelContainer: container)
        group.addTask { try await keeper.work(as: number, until: end) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(balances.count == 10 && balances.allSatisfy { $0.rounds > 0 })
    let context = ModelContext(container)
    let books = try context.fetch(FetchDescriptor<Book>())
    #expect(books.count == balances.reduce(0) { $0 + $1.books })
    #expect(books.allSatisfy { $0.author != nil })
    // Everybody turned pages of the own books only, so no turn is lost.
    #expect(books.reduce(0) { $0 + $1.pages } == balances.reduce(0) { $0 + $1.pages })
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }
}

@ModelActor
private actor Keeper {
  struct Balance: Sendable {
    var rounds = 0
    var books = 0
    var pages = 0
  }

  func work(as number: Int, until end: ContinuousClock.Instant) async throws -> Balance {
    var balance = Balance()
    var authors: [Author] = []
    repeat {
      balance.rounds += 1
      let author = Author(name: "\(number) \(balance.rounds)")
      modelContext.insert(author)
      author.books = (0..<3).map { Book(title: "Volume \($0)", pages: $0) }
      authors.append(author)
      for book in authors.flatMap(\.books) where book.pages < 5 { book.pages += 1 }
      if authors.count > 4 { modelContext.delete(authors.removeFirst()) }
      try modelContext.save()
      await Task.yield()
      // Reads what the others have written, whole authors only.
      let prefix = "\((number + 1) % 10) "
      let others = try modelContext.fetch(
        FetchDescriptor<Author>(predicate: #Predicate { $0.name.starts(with: prefix) }))
      #expect(others.allSatisfy { $0.isDeleted || [0, 3].contains($0.books.count) })
    } while ContinuousClock.now < end
    balance.books = authors.count * 3
    balance.pages = authors.flatMap(\.books).reduce(0) { $0 + $1.pages }
    return balance
  }
}
