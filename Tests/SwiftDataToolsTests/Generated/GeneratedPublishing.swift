import Foundation
import SwiftData

enum GeneratedPublishing {
  @Model
  final class Author: Writer {
    #Unique<Author>([\.alias])

    var alias: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author)
    var books: [Book]?
    var siteURL: URL?

    init(age: Int16, alias: String) {
      self.alias = alias
      super.init(age: age)
    }
  }

  @Model
  class Book {
    #Unique<Book>([\.uniqueID])

    var author: Author
    /// The stored bytes of a transformed Cover, as CoverTransformer creates them.
    @Attribute(.transformable(by: StoredBytesTransformer.self))
    var cover: Data
    @Relationship(
      deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 10000, inverse: \Page.book)
    var pages: [Page] = []
    /// Computed by Apple's framework; setting it has no effect there.
    var pagesCount: Int?
    var price: Decimal
    var publishedAt: Date
    var title: String
    var uniqueID: UUID

    init(
      author: Author, cover: Data, price: Decimal, publishedAt: Date, title: String, uniqueID: UUID
    ) {
      self.author = author
      self.cover = cover
      self.price = price
      self.publishedAt = publishedAt
      self.title = title
      self.uniqueID = uniqueID
    }
  }

  @Model
  final class Feedback {
    var authorAlias: String
    var bookID: UUID
    var comment: String?
    var rating: Double

    init(authorAlias: String, bookID: UUID, rating: Double) {
      self.authorAlias = authorAlias
      self.bookID = bookID
      self.rating = rating
    }
  }

  @Model
  final class GraphicNovel: Book {
    var isBlackAndWhite: Bool = false

    override init(
      author: Author, cover: Data, price: Decimal, publishedAt: Date, title: String, uniqueID: UUID
    ) {
      super.init(
        author: author, cover: cover, price: price, publishedAt: publishedAt, title: title,
        uniqueID: uniqueID)
    }
  }

  @Model
  final class Page {
    var book: Book
    /// The stored bytes of a transformed Content, as ContentTransformer creates them.
    @Attribute(.transformable(by: StoredBytesTransformer.self))
    var content: Data
    var isBookmarked: Bool = false
    var number: Int32

    init(book: Book, content: Data, number: Int32) {
      self.book = book
      self.content = content
      self.number = number
    }
  }

  /// Abstract in the file: it has rows of subclasses only.
  @Model
  class Writer {
    var age: Int16

    init(age: Int16) {
      self.age = age
    }
  }

  /// Keeps transformed values as their stored bytes.
  final class StoredBytesTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
  }
}
