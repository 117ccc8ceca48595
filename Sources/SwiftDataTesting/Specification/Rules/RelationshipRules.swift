import SwiftData

enum RelationshipRules {
  private typealias Author = Specimens.Author
  private typealias Book = Specimens.Book
  private typealias Tag = Specimens.Tag
  private typealias Desk = Specimens.Desk
  private typealias Node = Specimens.Node

  static let chapter = Chapter(
    name: "relationships", models: Specimens.related,
    rules: [
      toMany, toOne, manyToMany, withoutInverse, toSelf, cycle, permanent,
    ] + RelationshipChangeRules.all)

  private static let toMany = Rule(
    "to-many", .relationships,
    "A to-many relationship has all of its members, and each member refers to its owner."
  ) { trial in
    let context = try trial.context()
    for name in ["a", "b"] {
      let author = Author(name)
      context.insert(author)
      author.books = (1...3).map { Book("\(name)\($0)") }
    }
    try context.save()
    let reader = try trial.context()
    for name in ["a", "b"] {
      let author = try trial.one(Author.self, \.name, name, in: reader)
      let titles = author.books.map(\.title).sorted()
      trial.expect("The books of author \(name)", titles, ["\(name)1", "\(name)2", "\(name)3"])
    }
    // Through the other side alone.
    for book in try trial.all(Book.self) {
      trial.expect(
        "The author of book \(book.title)", book.author?.name, String(book.title.prefix(1)))
    }
  }

  private static let toOne = Rule(
    "to-one", .relationships, "A to-one relationship leads to its model, and back by its inverse."
  ) { trial in
    let context = try trial.context()
    let authors = [Author("a"), Author("b")]
    for author in authors { context.insert(author) }
    authors[0].desk = Desk("attic")
    try context.save()
    let reader = try trial.context()
    let found = try trial.one(Author.self, \.name, "a", in: reader)
    trial.expect("The desk", found.desk?.place, "attic")
    let other = try trial.one(Author.self, \.name, "b", in: reader)
    trial.expect("The desk of an author without one", other.desk?.place, nil)
    let desk = try trial.only(Desk.self, in: trial.context())
    trial.expect("The owner of the desk", desk.owner?.name, "a")
  }

  private static let manyToMany = Rule(
    "many-to-many", .relationships, "A many-to-many relationship has its members on both sides."
  ) { trial in
    let context = try trial.context()
    let books = [Book("one"), Book("two")]
    let tags = [Tag("red"), Tag("blue"), Tag("none")]
    for model in books { context.insert(model) }
    for model in tags { context.insert(model) }
    books[0].tags = [tags[0], tags[1]]
    tags[0].books.append(books[1])
    try context.save()
    let reader = try trial.context()
    for (title, expected) in [("one", ["blue", "red"]), ("two", ["red"])] {
      let book = try trial.one(Book.self, \.title, title, in: reader)
      trial.expect("The tags of book \(title)", book.tags.map(\.text).sorted(), expected)
    }
    let other = try trial.context()
    for (text, expected) in [("red", ["one", "two"]), ("blue", ["one"]), ("none", [])] {
      let tag = try trial.one(Tag.self, \.text, text, in: other)
      trial.expect("The books of tag \(text)", tag.books.map(\.title).sorted(), expected)
    }
  }

  private static let withoutInverse = Rule(
    "without inverse", .relationships, "A relationship without an inverse leads to its model."
  ) { trial in
    let author = Author("a")
    author.favourite = Tag("red")
    try trial.save([author])
    let found = try trial.only(Author.self, in: trial.context())
    trial.expect("The favourite", found.favourite?.text, "red")
  }

  private static let toSelf = Rule(
    "own class", .relationships, "Models may be related to models of their own class."
  ) { trial in
    let context = try trial.context()
    let root = Node("root")
    context.insert(root)
    root.children = [Node("left"), Node("right")]
    root.children[0].children = [Node("leaf")]
    try context.save()
    let reader = try trial.context()
    let leaf = try trial.one(Node.self, \.name, "leaf", in: reader)
    let path = Array(sequence(first: leaf) { $0.parent }.prefix(5).map(\.name))
    trial.expect("The path from a leaf to the root", path.count, 3)
    trial.expect("The end of the path", path.last, "root")
    let found = try trial.one(Node.self, \.name, "root", in: trial.context())
    trial.expect("The children", found.children.map(\.name).sorted(), ["left", "right"])
    trial.expect("The parent of the root", found.parent?.name, nil)
  }

  private static let cycle = Rule(
    "cycles", .relationships, "New models of one save may refer to each other."
  ) { trial in
    let context = try trial.context()
    let nodes = [Node("a"), Node("b")]
    for node in nodes { context.insert(node) }
    nodes[0].parent = nodes[1]
    nodes[1].parent = nodes[0]
    try context.save()
    for (name, parent) in [("a", "b"), ("b", "a")] {
      let found = try trial.one(Node.self, \.name, name, in: trial.context())
      trial.expect("The parent of \(name)", found.parent?.name, parent)
    }
  }

  private static let permanent = Rule(
    "permanent links", .relationships,
    "The relationships of stored snapshots have permanent identifiers, also when a save inserted both "
      + "models."
  ) { trial in
    let context = try trial.context()
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one"), Book("two"), Book("three")]
    author.books[0].tags = [Tag("red"), Tag("blue")]
    author.desk = Desk("attic")
    try context.save()
    let store = try trial.store()
    for type in Specimens.related {
      for link in Set(try store.temporaryLinks(type)).sorted() {
        trial.problem(
          "\(type).\(link) has a temporary identifier. A store replaces it by that of "
            + "remappedIdentifiers.")
      }
    }
    let reader = try trial.context()
    let found = try trial.only(Author.self, in: reader)
    trial.expect("The books", found.books.map(\.title).sorted(), ["one", "three", "two"])
  }
}
