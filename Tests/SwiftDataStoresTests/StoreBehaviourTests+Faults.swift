import SwiftData
import SwiftDataStores
import Testing

extension StoreBehaviourTests {
  /// A fault is read by the first access to its to-one.
  @Test(arguments: Kind.all)
  func theFirstReadOfAFaultFindsItsToOne(_ kind: Kind) throws {
    let open = try kind.make()
    let first = try context(open)
    let book = Book("Comet", by: Author("Tove"))
    first.insert(book)
    book.cover = Cover("red")
    try first.save()
    let (id, cover) = (book.persistentModelID, book.cover?.persistentModelID)
    let reader = try context(open)
    #expect((reader.model(for: id) as? Book)?.author?.name == "Tove")
    let editor = try context(open)
    let fault = try #require(editor.model(for: id) as? Book)
    fault.author = nil
    let other = Book("Moominsummer")
    editor.insert(other)
    other.cover = try #require(editor.model(for: try #require(cover)) as? Cover)
    #expect(fault.cover == nil)
    try editor.save()
    let books = try context(open).all(Book.self)
    #expect(books.first { $0.title == "Comet" }?.author == nil)
    #expect(books.first { $0.title == "Comet" }?.cover == nil)
    #expect(books.first { $0.title == "Moominsummer" }?.cover?.color == "red")
  }
}
