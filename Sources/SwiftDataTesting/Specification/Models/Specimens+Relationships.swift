import SwiftData

extension Specimens {
  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    @Relationship(inverse: \Desk.owner) var desk: Desk?
    /// Without inverse.
    var favourite: Tag?

    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var pages: Int
    var author: Author?
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    @Relationship(deleteRule: .cascade, inverse: \Page.book) var contents: [Page] = []

    init(_ title: String, pages: Int = 0) {
      self.title = title
      self.pages = pages
    }
  }

  @Model final class Page {
    var number: Int
    var book: Book?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Tag {
    var text: String
    var books: [Book] = []

    init(_ text: String) { self.text = text }
  }

  @Model final class Desk {
    var place: String
    var owner: Author?

    init(_ place: String) { self.place = place }
  }

  /// Related to models of its own class.
  @Model final class Node {
    var name: String
    var parent: Node?
    @Relationship(inverse: \Node.parent) var children: [Node] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Library {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Reader.library) var readers: [Reader] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Reader {
    var name: String
    var library: Library?

    init(_ name: String) { self.name = name }
  }

  /// No relationship leads back from it.
  @Model final class Stamp {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model final class Album {
    var title: String
    var first: Stamp?
    var last: Stamp?
    var stamps: [Stamp] = []

    init(_ title: String) { self.title = title }
  }

  @Model final class Letter {
    var stamp: Stamp

    init(_ stamp: Stamp) { self.stamp = stamp }
  }

  static let referring: [any PersistentModel.Type] = [Stamp.self, Album.self, Letter.self]

  static let related: [any PersistentModel.Type] = [
    Author.self, Book.self, Page.self, Tag.self, Desk.self, Node.self, Library.self, Reader.self,
  ]
}
