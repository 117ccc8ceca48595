import SwiftData

enum RelationshipPredicateRules {
  private typealias Author = Specimens.Author
  private typealias Book = Specimens.Book
  private typealias Tag = Specimens.Tag

  static let all: [Rule] = [paths, members, related]

  /// Books 1 to 6: 1 to 3 are of author a, 4 and 5 of author b, the even ones have the tag red.
  private static func fill(_ trial: Trial) throws {
    let context = try trial.context()
    let authors = [Author("a"), Author("b"), Author("none")]
    for author in authors { context.insert(author) }
    let red = Tag("red")
    context.insert(red)
    for number in 1...6 {
      let book = Book("book \(number)", pages: number)
      context.insert(book)
      if number <= 5 { book.author = number <= 3 ? authors[0] : authors[1] }
      if number % 2 == 0 { book.tags = [red] }
    }
    try context.save()
  }

  private static func expect(
    _ trial: Trial, _ text: String, _ predicate: Predicate<Book>, _ pages: [Int]
  ) throws {
    let descriptor = FetchDescriptor(predicate: predicate)
    let found = try trial.context().fetch(descriptor).map(\.pages).sorted()
    trial.expect("The books with \(text)", found, pages)
    trial.expect("The count with \(text)", try trial.context().fetchCount(descriptor), pages.count)
  }

  private static let paths = Rule(
    "paths", .relationshipPredicates,
    "Conditions follow to-one relationships; a missing model is nil.",
    models: Specimens.related
  ) { trial in
    try fill(trial)
    try expect(trial, "author?.name == \"a\"", #Predicate { $0.author?.name == "a" }, [1, 2, 3])
    try expect(trial, "author?.name != \"a\"", #Predicate { $0.author?.name != "a" }, [4, 5, 6])
    try expect(trial, "author == nil", #Predicate { $0.author == nil }, [6])
    try expect(trial, "author != nil", #Predicate { $0.author != nil }, [1, 2, 3, 4, 5])
  }

  private static let members = Rule(
    "members", .relationshipPredicates, "Conditions count and search the members of relationships.",
    models: Specimens.related
  ) { trial in
    try fill(trial)
    try expect(
      trial, "tags.contains { $0.text == \"red\" }",
      #Predicate { $0.tags.contains { $0.text == "red" } }, [2, 4, 6])
    try expect(trial, "tags.isEmpty", #Predicate { $0.tags.isEmpty }, [1, 3, 5])
    let busy = FetchDescriptor<Author>(predicate: #Predicate { $0.books.count > 1 })
    let names = try trial.context().fetch(busy).map(\.name).sorted()
    trial.expect("The authors with books.count > 1", names, ["a", "b"])
    let long = FetchDescriptor<Author>(
      predicate: #Predicate { $0.books.contains { $0.pages > 4 } })
    trial.expect(
      "The authors of a book with pages > 4", try trial.context().fetch(long).map(\.name), ["b"])
  }

  private static let related = Rule(
    "captured models", .relationshipPredicates, "Conditions compare related models by identifier.",
    models: Specimens.related
  ) { trial in
    try fill(trial)
    let author = try trial.one(Author.self, \.name, "b", in: trial.context()).persistentModelID
    try expect(
      trial, "author?.persistentModelID == identifier",
      #Predicate { $0.author?.persistentModelID == author }, [4, 5])
  }
}
