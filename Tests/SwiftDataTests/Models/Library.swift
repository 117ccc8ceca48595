import SwiftData

/// The models that most tests of the context use: an inverse pair, a many-to-many, and all the
/// kinds of values that apps store.
@Model final class Author {
  @Attribute(.unique) var name: String
  var born: Date?
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String, born: Date? = nil) {
    self.name = name
    self.born = born
  }
}

@Model final class Book {
  var title: String
  var pages: Int
  var price = 9.5
  var isRead = false
  var author: Author?
  @Relationship(inverse: \Shelf.books) var shelves: [Shelf] = []

  init(title: String, pages: Int, author: Author? = nil) {
    self.title = title
    self.pages = pages
    self.author = author
  }
}

@Model final class Shelf {
  var label: String
  var books: [Book] = []

  init(label: String) { self.label = label }
}

enum Library {
  static let types: [any PersistentModel.Type] = [Author.self, Book.self, Shelf.self]

  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// A context of a new container, with saved shelves.
  static func shelves(_ labels: [String]) throws -> ModelContext {
    let context = ModelContext(try container())
    for label in labels { context.insert(Shelf(label: label)) }
    try context.save()
    return context
  }
}
