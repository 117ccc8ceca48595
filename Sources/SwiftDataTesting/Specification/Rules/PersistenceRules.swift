import SwiftData

enum PersistenceRules {
  private typealias Entry = Specimens.Entry
  private typealias Author = Specimens.Author
  private typealias Book = Specimens.Book

  static let chapter = Chapter(
    name: "persistence", models: [Specimens.Entry.self] + Specimens.related,
    rules: [reopening, identifiers, links, deletions, shared, sharedChanges])

  private static let reopening = Rule(
    "reopening", .persistent, "A store that is opened again has all models with their values."
  ) { trial in
    try fill(trial)
    trial.close()
    let found = try trial.all(Entry.self).map { "\($0.title) \($0.number) \($0.rank ?? -1)" }
    trial.expect("The models", found.sorted(), ["a 1 10", "b 2 -1", "c 7 30"])
    try trial.save([Entry("d", 4)])
    trial.close()
    let titles = try trial.all(Entry.self).map(\.title)
    trial.expect("The titles after another time", titles.sorted(), ["a", "b", "c", "d"])
  }

  private static func fill(_ trial: Trial) throws {
    let context = try trial.context()
    let changed = Entry("c", 3, rank: 30)
    try trial.save([Entry("a", 1, rank: 10), Entry("b", 2), changed], in: context)
    changed.number = 7
    try context.save()
  }

  private static let identifiers = Rule(
    "identifiers", .persistent,
    "A store that is opened again has the same identifier and the same identifiers of models."
  ) { trial in
    let saved = try trial.save([Entry("a", 1), Entry("b", 2), Entry("c", 3)])
    let store = try trial.store().identifier
    trial.close()
    trial.expect("The identifier of the store", try trial.store().identifier, store)
    let found = try trial.context().fetch(FetchDescriptor(sortBy: [SortDescriptor(\Entry.title)]))
    trial.expect("The identifiers", found.map(\.persistentModelID), saved)
    let model = try trial.context().model(for: saved[1]) as? Entry
    trial.expect("The title of a model found by an old identifier", model?.title, "b")
    let new = try trial.save([Entry("d", 4)])
    trial.expect(!saved.contains(new[0]), "A new model has the identifier of a stored one.")
    trial.expect("The number of models", try trial.all(Entry.self).count, 4)
  }

  private static let links = Rule(
    "relationships", .persistent, "A store that is opened again has all relationships."
  ) { trial in
    try fillLinks(trial)
    trial.close()
    let found = try trial.only(Author.self, in: trial.context())
    trial.expect("The books", found.books.map(\.title).sorted(), ["one", "two"])
    trial.expect("The desk", found.desk?.place, "attic")
    let book = try trial.one(Book.self, \.title, "one", in: trial.context())
    trial.expect("The author", book.author?.name, "a")
    trial.expect("The tags", book.tags.map(\.text), ["red"])
  }

  private static func fillLinks(_ trial: Trial) throws {
    let context = try trial.context()
    let author = Author("a")
    context.insert(author)
    author.books = [Book("one"), Book("two")]
    author.desk = Specimens.Desk("attic")
    author.books.first { $0.title == "one" }?.tags = [Specimens.Tag("red")]
    try context.save()
  }

  private static let deletions = Rule(
    "deletions", .persistent, "A store that is opened again does not have deleted models."
  ) { trial in
    try deleteOne(trial)
    trial.close()
    trial.expect("The titles", try trial.all(Entry.self).map(\.title).sorted(), ["a", "c"])
  }

  private static func deleteOne(_ trial: Trial) throws {
    let context = try trial.context()
    let entries = [Entry("a"), Entry("b"), Entry("c")]
    try trial.save(entries, in: context)
    context.delete(entries[1])
    try context.save()
  }

  private static let shared = Rule(
    "two containers", .shared, "Two containers of one store see what the other one has saved."
  ) { trial in
    let (first, second) = (try trial.container(), try trial.open())
    let (writer, reader) = (ModelContext(first), ModelContext(second))
    try trial.save([Entry("a")], in: writer)
    trial.expect("The second container", try trial.titles(.init(), in: reader), ["a"])
    try trial.save([Entry("b")], in: reader)
    trial.expect("The first container", try trial.titles(.init(), in: writer).sorted(), ["a", "b"])
    let identifiers = try [writer, reader].map {
      Set(try $0.fetchIdentifiers(FetchDescriptor<Entry>()))
    }
    trial.expect("The identifiers of both containers", identifiers[1], identifiers[0])
  }

  private static let sharedChanges = Rule(
    "changes elsewhere", .shared,
    "Changes and deletions of one container reach fetches of the other."
  ) { trial in
    let (first, second) = (try trial.container(), try trial.open())
    let (writer, reader) = (ModelContext(first), ModelContext(second))
    let entries = [Entry("a", 1), Entry("b", 2)]
    try trial.save(entries, in: writer)
    trial.expect("The number of models", try trial.titles(.init(), in: reader).count, 2)
    entries[0].title = "c"
    writer.delete(entries[1])
    try writer.save()
    trial.expect("The titles", try trial.titles(.init(), in: reader), ["c"])
    trial.expect("A new context", try trial.titles(.init(), in: ModelContext(second)), ["c"])
  }
}
