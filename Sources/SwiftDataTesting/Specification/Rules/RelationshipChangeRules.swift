import SwiftData

enum RelationshipChangeRules {
  private typealias Author = Specimens.Author
  private typealias Book = Specimens.Book
  private typealias Tag = Specimens.Tag
  private typealias Desk = Specimens.Desk

  static let all: [Rule] = [added, cleared, moved, swapped, untouched, prefetched]

  private static let added = Rule(
    "new members", .relationships, "A stored model gains new and stored members, one by one."
  ) { trial in
    let context = try trial.context()
    let author = Author("a")
    try trial.save([author], in: context)
    let stored = Book("stored")
    try trial.save([stored], in: context)
    author.books.append(stored)
    try context.save()
    author.books.append(Book("new"))
    try context.save()
    let other = try trial.context()
    let book = Book("from the other side")
    other.insert(book)
    book.author = try trial.only(Author.self, in: other)
    try other.save()
    let found = try trial.only(Author.self, in: trial.context())
    let titles = found.books.map(\.title).sorted()
    trial.expect("The books", titles, ["from the other side", "new", "stored"])
    for book in try trial.all(Book.self) {
      trial.expect("The author of the book \(book.title)", book.author?.name, "a")
    }
  }

  private static let cleared = Rule(
    "cleared links", .relationships,
    "A link that is set to nil, and a list that is emptied, stay so."
  ) { trial in
    let context = try trial.context()
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one"), Book("two")]
    author.books[0].tags = [Tag("red")]
    author.desk = Desk("attic")
    author.favourite = author.books[0].tags.first
    try context.save()
    for book in author.books { book.tags = [] }
    author.books = []
    author.desk = nil
    author.favourite = nil
    try context.save()
    let reader = try trial.context()
    let found = try trial.only(Author.self, in: reader)
    trial.expect("The books", found.books.map(\.title), [])
    trial.expect("The desk", found.desk?.place, nil)
    trial.expect("The favourite", found.favourite?.text, nil)
    let books = try trial.all(Book.self)
    trial.expect("The number of books", books.count, 2)
    trial.expect("Books with an author", books.count { $0.author != nil }, 0)
    trial.expect("Tags of the books", books.flatMap(\.tags).map(\.text), [])
    let other = try trial.context()
    trial.expect("The owner of the desk", try trial.only(Desk.self, in: other).owner?.name, nil)
    trial.expect("The books of the tag", try trial.only(Tag.self, in: other).books.count, 0)
  }

  private static let moved = Rule(
    "moves", .relationships, "A member that moves to another owner leaves the list of the old one."
  ) { trial in
    let context = try trial.context()
    let authors = [Author("a"), Author("b")]
    for author in authors { context.insert(author) }
    authors[0].books = [Book("moved"), Book("kept")]
    try context.save()
    // In a context that has loaded no list.
    let other = try trial.context()
    let book = try trial.one(Book.self, \.title, "moved", in: other)
    book.author = try trial.one(Author.self, \.name, "b", in: other)
    try other.save()
    for (name, expected) in [("a", ["kept"]), ("b", ["moved"])] {
      let found = try trial.one(Author.self, \.name, name, in: trial.context())
      trial.expect("The books of author \(name)", found.books.map(\.title), expected)
    }
    let found = try trial.one(Book.self, \.title, "moved", in: trial.context())
    trial.expect("The author of the moved book", found.author?.name, "b")
  }

  private static let swapped = Rule(
    "replaced links", .relationships, "A to-one relationship leads to the model that was set last."
  ) { trial in
    let context = try trial.context()
    let authors = [Author("a"), Author("b")]
    for author in authors { context.insert(author) }
    (authors[0].desk, authors[1].desk) = (Desk("attic"), Desk("cellar"))
    try context.save()
    authors[0].desk = Desk("garden")
    try context.save()
    let reader = try trial.context()
    let found = try trial.one(Author.self, \.name, "a", in: reader)
    trial.expect("The desk", found.desk?.place, "garden")
    let attic = try trial.one(Desk.self, \.place, "attic", in: reader)
    trial.expect("The owner of the old desk", attic.owner?.name, nil)
    let other = try trial.one(Author.self, \.name, "b", in: reader)
    trial.expect("The desk of the other author", other.desk?.place, "cellar")
  }

  private static let untouched = Rule(
    "untouched lists", .relationships,
    "A change of an attribute keeps the members of lists that the context has not loaded."
  ) { trial in
    let context = try trial.context()
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one"), Book("two")]
    author.books[0].tags = [Tag("red"), Tag("blue")]
    try context.save()
    let editor = try trial.context()
    try trial.only(Author.self, in: editor).name = "b"
    try trial.one(Book.self, \.title, "one", in: editor).pages = 5
    try editor.save()
    let reader = try trial.context()
    let found = try trial.only(Author.self, in: reader)
    trial.expect("The changed name", found.name, "b")
    trial.expect("The books", found.books.map(\.title).sorted(), ["one", "two"])
    let book = try trial.one(Book.self, \.title, "one", in: reader)
    trial.expect("The tags", book.tags.map(\.text).sorted(), ["blue", "red"])
    trial.expect("The changed number", book.pages, 5)
  }

  private static let prefetched = Rule(
    "prefetching", .relationships, "Prefetched relationships have the same members as others."
  ) { trial in
    let context = try trial.context()
    for name in ["a", "b"] {
      let author = Author(name)
      context.insert(author)
      author.books = [Book("\(name)1"), Book("\(name)2")]
      author.desk = Desk("of \(name)")
    }
    try context.save()
    var descriptor = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.books, \.desk]
    let found = try trial.context().fetch(descriptor)
    let books = found.map { $0.books.map(\.title).sorted() }
    trial.expect("The prefetched books", books, [["a1", "a2"], ["b1", "b2"]])
    trial.expect("The prefetched desks", found.map { $0.desk?.place }, ["of a", "of b"])
  }
}
