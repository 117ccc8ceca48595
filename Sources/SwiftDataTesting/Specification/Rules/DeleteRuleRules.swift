import SwiftData

enum DeleteRuleRules {
  private typealias Author = Specimens.Author
  private typealias Book = Specimens.Book
  private typealias Page = Specimens.Page
  private typealias Tag = Specimens.Tag
  private typealias Desk = Specimens.Desk
  private typealias Library = Specimens.Library
  private typealias Reader = Specimens.Reader
  private typealias Stamp = Specimens.Stamp
  private typealias Album = Specimens.Album
  private typealias Letter = Specimens.Letter

  static let chapter = Chapter(
    name: "delete rules", models: Specimens.related,
    rules: [
      cascade, nullify, deny, withoutInverse, requiredWithoutInverse, batch, batchWhere, denied,
      directBatch, plainBatch,
    ])

  /// Two authors, each with a desk and two books, of which the first has two pages and a tag.
  private static func fill(_ context: ModelContext) throws {
    for name in ["a", "b"] {
      let author = Author(name)
      context.insert(author)
      author.desk = Desk("of \(name)")
      author.books = [Book("\(name)1"), Book("\(name)2")]
      author.books[0].contents = [Page(1), Page(2)]
      author.books[0].tags = [Tag("of \(name)")]
    }
    try context.save()
  }

  private static func expectRest(_ trial: Trial, deleted: String, kept: [String]) throws {
    trial.expect("The authors", try trial.all(Author.self).map(\.name).sorted(), kept)
    let titles = try trial.all(Book.self).map(\.title).sorted()
    trial.expect("The books (cascade)", titles, kept.flatMap { ["\($0)1", "\($0)2"] })
    trial.expect(
      "The pages (cascade of the cascade)", try trial.all(Page.self).count, kept.count * 2)
    let reader = try trial.context()
    let desk = try trial.one(Desk.self, \.place, "of \(deleted)", in: reader)
    trial.expect("The owner of a desk whose author is deleted", desk.owner?.name, nil)
    let tag = try trial.one(Tag.self, \.text, "of \(deleted)", in: reader)
    trial.expect("The books of a tag whose book is deleted", tag.books.map(\.title), [])
    for name in kept {
      let author = try trial.one(Author.self, \.name, name, in: reader)
      trial.expect("The books of a kept author", author.books.count, 2)
      trial.expect("The desk of a kept author", author.desk?.place, "of \(name)")
    }
  }

  private static let cascade = Rule(
    "cascade", .deleteRules,
    "A deletion deletes the models of cascades too, also those that are not in memory."
  ) { trial in
    try fill(trial.context())
    let context = try trial.context()
    context.delete(try trial.one(Author.self, \.name, "a", in: context))
    try context.save()
    try expectRest(trial, deleted: "a", kept: ["b"])
  }

  private static let nullify = Rule(
    "nullify", .deleteRules, "Links and lists lose a deleted model; the related models remain."
  ) { trial in
    try fill(trial.context())
    let context = try trial.context()
    context.delete(try trial.one(Book.self, \.title, "a1", in: context))
    context.delete(try trial.one(Desk.self, \.place, "of b", in: context))
    try context.save()
    let reader = try trial.context()
    let author = try trial.one(Author.self, \.name, "a", in: reader)
    trial.expect("The books of the author", author.books.map(\.title), ["a2"])
    let tag = try trial.one(Tag.self, \.text, "of a", in: reader)
    trial.expect("The books of the tag", tag.books.map(\.title), [])
    let other = try trial.one(Author.self, \.name, "b", in: reader)
    trial.expect("The desk of the other author", other.desk?.place, nil)
    trial.expect("The books of the other author", other.books.count, 2)
  }

  private static let deny = Rule(
    "deny", .deleteRules,
    "A deletion that a rule denies throws, leaves the store as it was, and stays in the context."
  ) { trial in
    let context = try trial.context()
    let library = Library("city")
    context.insert(library)
    library.readers = [Reader("one")]
    try context.save()
    let editor = try trial.context()
    editor.insert(Library("second"))
    editor.delete(try trial.one(Library.self, \.name, "city", in: editor))
    trial.expectError("A denied deletion") { try editor.save() }
    trial.expect("hasChanges after the error", editor.hasChanges, true)
    trial.expect("The libraries", try trial.all(Library.self).map(\.name), ["city"])
    let reader = try trial.only(Reader.self, in: trial.context())
    trial.expect("The library of the reader", reader.library?.name, "city")
    let deleter = try trial.context()
    for reader in try trial.all(Reader.self, in: deleter) { deleter.delete(reader) }
    for library in try trial.all(Library.self, in: deleter) { deleter.delete(library) }
    try deleter.save()
    trial.expect("The libraries", try trial.all(Library.self).count, 0)
  }

  private static let withoutInverse = Rule(
    "without inverse", .deleteRules,
    "Links and lists without an inverse lose a deleted model, also one that a batch deletes.",
    models: Specimens.referring
  ) { trial in
    let context = try trial.context()
    let stamps = ["red", "blue", "green"].map(Stamp.init)
    for stamp in stamps { context.insert(stamp) }
    let album = Album("a")
    context.insert(album)
    (album.first, album.last) = (stamps[0], stamps[1])
    album.stamps = stamps
    try context.save()
    let editor = try trial.context()
    editor.delete(try trial.one(Stamp.self, \.name, "red", in: editor))
    try editor.save()
    let found = try trial.only(Album.self, in: trial.context())
    trial.expect("The first stamp, which is deleted", found.first?.name, nil)
    trial.expect("The last stamp", found.last?.name, "blue")
    trial.expect("The stamps", found.stamps.map(\.name).sorted(), ["blue", "green"])
    let empty = FetchDescriptor<Album>(predicate: #Predicate { $0.first == nil })
    trial.expect("Albums without first stamp", try trial.context().fetchCount(empty), 1)
    try trial.context().delete(model: Stamp.self, where: #Predicate { $0.name == "blue" })
    let other = try trial.only(Album.self, in: trial.context())
    trial.expect("The last stamp, which a batch has deleted", other.last?.name, nil)
    trial.expect("The stamps after the batch", other.stamps.map(\.name), ["green"])
  }

  private static let requiredWithoutInverse = Rule(
    "required without inverse", .deleteRules,
    "A deletion throws if a required link without an inverse leads to the model.",
    models: Specimens.referring
  ) { trial in
    let context = try trial.context()
    let stamp = Stamp("red")
    context.insert(stamp)
    context.insert(Letter(stamp))
    try context.save()
    let editor = try trial.context()
    editor.delete(try trial.only(Stamp.self, in: editor))
    trial.expectError("A deletion of what a letter needs") { try editor.save() }
    trial.expectError("A batch with what a letter needs") {
      try trial.context().delete(model: Stamp.self)
    }
    let letter = try trial.only(Letter.self, in: trial.context())
    trial.expect("The stamp of the letter", letter.stamp.name, "red")
    let deleter = try trial.context()
    for letter in try trial.all(Letter.self, in: deleter) { deleter.delete(letter) }
    for stamp in try trial.all(Stamp.self, in: deleter) { deleter.delete(stamp) }
    try deleter.save()
    trial.expect("The stamps", try trial.all(Stamp.self).count, 0)
  }

  private static let batch = Rule(
    "batch", .deleteRules, "delete(model:) deletes all models of a class, and obeys the rules."
  ) { trial in
    try fill(trial.context())
    try trial.context().delete(model: Author.self)
    trial.expect("The authors", try trial.all(Author.self).count, 0)
    trial.expect("The books (cascade)", try trial.all(Book.self).count, 0)
    trial.expect("The pages (cascade of the cascade)", try trial.all(Page.self).count, 0)
    let desks = try trial.all(Desk.self)
    trial.expect("The desks (nullify)", desks.count, 2)
    trial.expect("Desks with an owner", desks.count { $0.owner != nil }, 0)
  }

  private static let batchWhere = Rule(
    "batch with predicate", .deleteRules,
    "delete(model:where:) deletes the models that match, and obeys the rules."
  ) { trial in
    try fill(trial.context())
    try trial.context().delete(model: Author.self, where: #Predicate { $0.name == "a" })
    try expectRest(trial, deleted: "a", kept: ["b"])
    try trial.context().delete(model: Author.self, where: #Predicate { $0.name == "z" })
    trial.expect("The authors", try trial.all(Author.self).map(\.name), ["b"])
  }

  private static let denied = Rule(
    "denied batch", .deleteRules, "A batch of which one deletion is denied deletes nothing."
  ) { trial in
    let context = try trial.context()
    let library = Library("with readers")
    context.insert(library)
    context.insert(Library("empty"))
    library.readers = [Reader("one")]
    try context.save()
    trial.expectError("A batch with a denied deletion") {
      try trial.context().delete(model: Library.self)
    }
    let names = try trial.all(Library.self).map(\.name).sorted()
    trial.expect("The libraries", names, ["empty", "with readers"])
  }

  private static let directBatch = Rule(
    "batching store", .deleteRules,
    "A DataStoreBatching store obeys the delete rules, or throws a DataStoreError so that the context "
      + "does."
  ) { trial in
    try fill(trial.context())
    guard let store = try trial.store() as? any DataStoreBatching else { return }
    guard try store.deleteDirectly(Author.self) else {
      trial.expect(
        "The authors after a refused batch", try trial.all(Author.self).map(\.name).sorted(),
        ["a", "b"])
      return
    }
    trial.expect("The authors", try trial.all(Author.self).count, 0)
    trial.expect("The books (cascade)", try trial.all(Book.self).count, 0)
    let desks = try trial.all(Desk.self)
    trial.expect("Desks with an owner (nullify)", desks.count { $0.owner != nil }, 0)
  }

  private static let plainBatch = Rule(
    "batch without rules", .deleteRules,
    "A batch deletes the models without relationships that match, and no others.",
    models: [Specimens.Entry.self, Specimens.Memo.self]
  ) { trial in
    typealias Entry = Specimens.Entry
    try trial.save((1...5).map { Entry("entry", $0) })
    try trial.save([Specimens.Memo("memo")])
    try trial.context().delete(model: Entry.self, where: #Predicate { $0.number > 3 })
    trial.expect("The numbers", try trial.all(Entry.self).map(\.number).sorted(), [1, 2, 3])
    let context = try trial.context()
    trial.expect(
      "The number of models before a batch", try trial.all(Entry.self, in: context).count, 3)
    try context.delete(model: Entry.self)
    trial.expect(
      "The number of models in the context", try trial.all(Entry.self, in: context).count, 0)
    trial.expect("The number of models", try trial.all(Entry.self).count, 0)
    trial.expect("The models of another class", try trial.all(Specimens.Memo.self).count, 1)
  }
}
