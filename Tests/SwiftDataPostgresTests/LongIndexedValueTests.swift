import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// A value that does not fit into an index. The server names the index only up to 8,191 bytes.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct LongIndexedValueTests {
  @Model final class Author {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    #Index<Book>([\.title])
    #Unique<Book>([\.isbn])
    var title: String
    var isbn: String
    var author: Author?

    init(_ title: String, _ isbn: String, author: Author? = nil) {
      (self.title, self.isbn, self.author) = (title, isbn, author)
    }
  }

  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Author.self, Book.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
  }

  /// A text that does not become shorter by compression.
  private func text(ofBytes count: Int) -> String {
    String((0...count / 36).map { _ in UUID().uuidString }.joined().prefix(count))
  }

  private func failure(_ change: (ModelContext) throws -> Void) throws -> SwiftDataError {
    let context = ModelContext(container)
    try change(context)
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure && context.hasChanges)
    context.rollback()
    return error
  }

  @Test(arguments: [4_000, 9_000])
  func theErrorOfANewModelNamesItsModel(bytes: Int) throws {
    let isNamed = bytes < 8_191
    for count in [1, 200] {
      let error = try failure { context in
        for number in 0..<count {
          context.insert(Book(number == count / 2 ? text(ofBytes: bytes) : "t", "\(number)"))
        }
      }
      #expect(error.reason == .invalidValue(entity: "Book", property: isNamed ? "title" : nil))
      #expect(error.description.contains("'title'") || isNamed, "\(error)")
    }
    let error = try failure { context in
      context.insert(Book("t", text(ofBytes: bytes), author: Author("Ada")))
    }
    #expect(error.reason == .invalidValue(entity: "Book", property: isNamed ? "isbn" : nil))
  }

  @Test(arguments: [4_000, 9_000])
  func aPropertyIsNamedIfNoOtherOneIsWritten(bytes: Int) throws {
    let author = try failure { $0.insert(Author(text(ofBytes: bytes))) }
    #expect(author.reason == .invalidValue(entity: "Author", property: "name"))
    let context = ModelContext(container)
    context.insert(Book("t", "1"))
    try context.save()
    let book = try failure { context in
      try context.fetch(FetchDescriptor<Book>())[0].title = text(ofBytes: bytes)
    }
    #expect(book.reason == .invalidValue(entity: "Book", property: "title"))
  }
}
