import SwiftData
import Testing

@ModelActor
actor Librarian {
  func add(_ name: String, books: Int) throws -> PersistentIdentifier {
    let author = Author(name: name)
    modelContext.insert(author)
    let temporary = author.persistentModelID
    for index in 0..<books { author.books.append(Book(title: "\(name) \(index)", pages: index)) }
    try modelContext.save()
    return temporary
  }

  func pages(_ id: PersistentIdentifier) -> Int? {
    self[id, as: Author.self]?.books.reduce(0) { $0 + $1.pages }
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Book>()) }

  func read() throws -> Int {
    try modelContext.fetch(
      FetchDescriptor<Book>(
        predicate: #Predicate { $0.pages > 1 }, sortBy: [SortDescriptor(\.title)])
    ).filter { $0.author?.name.isEmpty == false }.count
  }
}

@Suite(.databases) struct SeveralActorsTests {
  @Test func actorsOnOneContainerLoseNothing() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    let rounds = 12
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          let librarian = Librarian(modelContainer: container)
          let reader = Librarian(modelContainer: container)
          for round in 0..<rounds {
            let id = try await librarian.add("\(worker)-\(round)", books: 4)
            // An identifier that was temporary when it was taken finds the row in another context.
            #expect(await reader.pages(id) == 6)
            _ = try await reader.read()
          }
        }
      }
      try await group.waitForAll()
    }
    let librarian = Librarian(modelContainer: container)
    #expect(try await librarian.count() == 6 * rounds * 4)
    #expect(try await librarian.read() == 6 * rounds * 2)
  }
}
