import Foundation
import SwiftData
import Testing

enum Glossary {
  /// Without relationships.
  @Model final class Word {
    var text: String

    init(_ text: String) { self.text = text }
  }
}

/// What changes few rows makes a context read few rows again, however many models are in memory.
@Suite(.databases) struct RereadTests {
  private struct Stop: Error {}

  private struct Desk {
    let recorder = StatementRecorder()
    let container: ModelContainer
    let context: ModelContext
    let parents: [Graph.Parent]
    let children: [Graph.Child]

    /// 4 parents with 5 children each; all lists and links are in memory.
    init() throws {
      container = try recorder.container(Graph.types)
      let filling = ModelContext(container)
      for name in 0..<4 {
        let parent = Graph.Parent("\(name)")
        filling.insert(parent)
        parent.children = (0..<5).map { Graph.Child("\(name)-\($0)") }
      }
      try filling.save()
      context = ModelContext(container)
      context.autosaveEnabled = false
      parents = try context.fetch(FetchDescriptor<Graph.Parent>(sortBy: [SortDescriptor(\.name)]))
      children = try context.fetch(FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)]))
      // The first transaction reads all models again.
      try context.transaction {}
      #expect(parents.allSatisfy { $0.children.count == 5 })
    }

    /// The number of rows that reading everything in memory reads again.
    func rowsRead() -> Int {
      recorder.during {
        for parent in parents where !parent.isDeleted { _ = (parent.name, parent.children.count) }
        for child in children where !child.isDeleted { _ = (child.name, child.parent?.name) }
      }
      .reduce(0) { $0 + $1.rowCount }
    }
  }

  @Test(.sqliteOnly("a server's transactions read the models again"))
  func aTransactionThatChangedNothingThrows() throws {
    let desk = try Desk()
    #expect(throws: Stop.self) { try desk.context.transaction { throw Stop() } }
    #expect(throws: Stop.self) {
      try desk.context.transaction {
        desk.children[0].name = "unsaved"
        throw Stop()
      }
    }
    #expect(desk.children[0].name == "0-0")
    #expect(desk.rowsRead() <= 1)
  }

  @Test(.sqliteOnly("a server's transactions read the models again"))
  func aTransactionThatChangedOneRowThrows() throws {
    let desk = try Desk()
    #expect(throws: Stop.self) {
      try desk.context.transaction {
        desk.children[0].name = "saved"
        desk.children[7].parent = desk.parents[0]
        desk.context.delete(desk.children[19])
        try desk.context.save()
        #expect(desk.parents[0].children.count == 6)
        throw Stop()
      }
    }
    // The changed rows, and the lists.
    #expect(desk.rowsRead() <= 3 + 2 + 20)
    #expect(desk.children.map(\.name) == (0..<20).map { "\($0 / 5)-\($0 % 5)" })
    #expect(desk.children.map { $0.parent?.name } == (0..<20).map { "\($0 / 5)" })
    #expect(desk.parents.map { Set($0.children.map(\.name)).count } == [5, 5, 5, 5])
    desk.children[0].name += "!"
    try desk.context.save()
    let stored = try ModelContext(desk.container).fetch(
      FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.name).prefix(3) == ["0-0!", "0-1", "0-2"] && stored.count == 20)
  }

  @Test func aBatchDeletionReadsTheRowsThatItChanged() throws {
    let desk = try Desk()
    let other = ModelContext(desk.container)
    let theirs = try other.fetch(FetchDescriptor<Graph.Child>(sortBy: [SortDescriptor(\.name)]))
    var read = desk.recorder.during {
      try? desk.context.delete(model: Graph.Child.self, where: #Predicate { $0.name == "none" })
      _ = try? other.fetchCount(FetchDescriptor<Graph.Child>())
    }
    .reduce(0) { $0 + $1.rowCount }
    #expect(read <= 1 && desk.rowsRead() == 0)
    read = try desk.recorder.during {
      try desk.context.delete(model: Graph.Child.self, where: #Predicate { $0.name == "1-2" })
      _ = try other.fetchCount(FetchDescriptor<Graph.Child>())
    }
    .reduce(0) { $0 + $1.rowCount }
    // The deleted row, what refers to it, and the count; no model is read again.
    #expect(read < 10)
    #expect(desk.rowsRead() == 0)
    #expect(desk.children[7].isDeleted && theirs[7].isDeleted && !theirs[8].isDeleted)
    #expect(desk.parents.map(\.children.count) == [5, 4, 5, 5])
  }

  @Test func aBatchDeletionOfFreeRowsNamesThem() throws {
    let container = try ModelContainer(
      for: Glossary.Word.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for name in ["a", "b", "c"] { context.insert(Glossary.Word(name)) }
    try context.save()
    let other = ModelContext(container)
    let keywords = try other.fetch(
      FetchDescriptor<Glossary.Word>(sortBy: [SortDescriptor(\.text)]))
    try context.delete(model: Glossary.Word.self, where: #Predicate { $0.text != "b" })
    #expect(try other.fetchCount(FetchDescriptor<Glossary.Word>()) == 1)
    #expect(keywords.map(\.isDeleted) == [true, false, true])
    try context.delete(model: Glossary.Word.self)
    #expect(try other.fetchCount(FetchDescriptor<Glossary.Word>()) == 0)
    #expect(keywords[1].isDeleted)
  }

  /// Links that rules empty are shown by all contexts.
  @Test func aBatchDeletionEmptiesLinks() throws {
    let container = try Library.container()
    let context = ModelContext(container)
    let author = Author(name: "a")
    context.insert(author)
    author.books = [Book(title: "1", pages: 1), Book(title: "2", pages: 2)]
    try context.save()
    let other = ModelContext(container)
    let books = try other.fetch(FetchDescriptor<Book>())
    #expect(books.allSatisfy { $0.author?.name == "a" })
    try context.delete(model: Author.self, where: #Predicate { $0.name == "a" })
    #expect(try other.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(books.allSatisfy { $0.author == nil || $0.isDeleted })
  }

  @Test func aSecondPassOverRelatedModelsReadsNothing() throws {
    let recorder = StatementRecorder()
    let container = try recorder.container(Graph.types)
    let filling = ModelContext(container)
    for number in 0..<1000 {
      filling.insert(Graph.Child("\(number)", parent: Graph.Parent("\(number)")))
    }
    try filling.save()
    let context = ModelContext(container)
    let children = try context.fetch(FetchDescriptor<Graph.Child>())
    for child in children { #expect(child.parent?.name == child.name) }
    let ran = recorder.during { for child in children { _ = child.parent?.name } }
    #expect(ran.isEmpty)
  }
}
