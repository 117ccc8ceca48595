import Foundation
import Observation
import SwiftData
import SwiftDataStores
import Testing

/// Two contexts of a container change one row of a store.
@Suite struct ConflictTests {
  private func contexts(
    _ open: () throws -> ModelContainer
  ) throws -> (mine: ModelContext, theirs: ModelContext) {
    let container = try open()
    let (mine, theirs) = (ModelContext(container), ModelContext(container))
    let book = Book("Comet", by: Author("Tove"))
    theirs.insert(book)
    book.cover = Cover("blue")
    try theirs.save()
    mine.conflictPolicy = .refuse
    return (mine, theirs)
  }

  @Test(arguments: Kind.all, [false, true])
  func relationshipsThatNobodyChangedAreNoConflict(_ kind: Kind, areRead: Bool) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let book = try #require(try mine.all(Book.self).first)
    if areRead { #expect(book.author != nil && book.cover != nil) }
    book.title = "mine"
    let same = try #require(try theirs.all(Book.self).first)
    same.shelves.append(Shelf("a"))
    try theirs.save()
    same.shelves.removeAll { $0.label == "none" }
    try theirs.save()
    try mine.save()
    theirs.processPendingChanges()
    #expect(same.title == "mine" && same.author?.name == "Tove" && same.cover?.color == "blue")
  }

  @Test(arguments: Kind.all)
  func equalValuesAreNoConflict(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let book = try #require(try mine.all(Book.self).first)
    book.title = "mine"
    let same = try #require(try theirs.all(Book.self).first)
    let (author, cover) = (same.author, same.cover)
    (same.pages, same.author, same.cover) = (5, nil, nil)
    try theirs.save()
    mine.processPendingChanges()
    (same.pages, same.author, same.cover) = (0, author, cover)
    try theirs.save()
    try mine.save()
  }

  @Test(arguments: Kind.all)
  func otherRelationshipsAreAConflict(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let book = try #require(try mine.all(Book.self).first)
    book.title = "mine"
    let same = try #require(try theirs.all(Book.self).first)
    (same.author, same.cover) = (nil, Cover("red"))
    try theirs.save()
    for _ in 1...2 {
      let error = #expect(throws: SwiftDataError.saveConflict) { try mine.save() }
      #expect(error?.conflicts.first?.properties.map(\.name).sorted() == ["author", "cover"])
    }
    mine.rollback()
    #expect(book.author == nil && book.cover?.color == "red")
    book.title = "again"
    try mine.save()
  }

  /// A batch deletion does not name the rows that it changes.
  @Test(arguments: Kind.all, [false, true])
  func otherRelationshipsAreAConflictBesideABatchDeletion(
    _ kind: Kind, isLoaded: Bool
  ) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let book = try #require(try mine.all(Book.self).first)
    if isLoaded { #expect(book.author != nil && book.cover != nil) }
    book.title = "mine"
    let same = try #require(try theirs.all(Book.self).first)
    (same.author, same.cover) = (nil, Cover("red"))
    try theirs.save()
    try theirs.delete(model: Author.self, where: #Predicate { $0.name == "none" })
    try theirs.delete(model: Book.self, where: #Predicate { $0.title == "none" })
    let error = #expect(throws: SwiftDataError.saveConflict) { try mine.save() }
    #expect(error?.conflicts.first?.properties.map(\.name).sorted() == ["author", "cover"])
  }

  @Test(arguments: Kind.all)
  func observersSeeThatABatchDeletionEmptiesARelationship(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let book = try #require(try mine.all(Book.self).first)
    #expect(book.cover != nil)
    nonisolated(unsafe) var isTold = false
    withObservationTracking {
      _ = book.cover
    } onChange: {
      isTold = true
    }
    try theirs.delete(model: Cover.self)
    mine.processPendingChanges()
    #expect(isTold && book.cover == nil)
  }

  /// The context does not know yet that another container has deleted the row.
  @Test(arguments: Kind.all)
  func everyFetchHasAnEditedModelWithoutRowUntilTheSave(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = (ModelContext(try open()), ModelContext(try open()))
    for title in ["a", "b"] { theirs.insert(Book(title)) }
    try theirs.save()
    try #require(try mine.all(Book.self).first { $0.title == "a" }).title = "edited"
    try theirs.all(Book.self).filter { $0.title == "a" }.forEach(theirs.delete)
    try theirs.save()
    let edited = #Predicate<Book> { $0.title == "edited" }
    let order = [SortDescriptor(\Book.title, order: .reverse)]
    let requests: [(FetchDescriptor<Book>, [String])] = [
      (FetchDescriptor(sortBy: order), ["edited", "b"]),
      (FetchDescriptor(), ["b", "edited"]),
      (FetchDescriptor(predicate: edited), ["edited"]),
      (FetchDescriptor(predicate: edited, sortBy: order), ["edited"]),
    ]
    for isGone in [false, true] {
      for (request, titles) in requests {
        let expected = isGone ? titles.filter { $0 != "edited" } : titles
        let found = try mine.fetch(request).map(\.title)
        #expect(request.sortBy.isEmpty ? found.sorted() == expected.sorted() : found == expected)
        #expect(try mine.fetchCount(request) == expected.count)
        var visited: [String] = []
        try mine.enumerate(request) { visited.append($0.title) }
        #expect(visited == found)
        guard request.sortBy.isEmpty else { continue }
        #expect(try mine.fetchIdentifiers(request).count == expected.count)
      }
      try mine.save()
    }
  }

  /// Values that are not stored are those from before the edit, also over a newer row.
  @Test(arguments: Kind.all(Schema([Mark.self])))
  func aRollbackOverANewerRowRestoresValuesThatAreNotStored(_ kind: Kind) throws {
    let open = try kind.make()
    let container = try open()
    let (mine, theirs) = (ModelContext(container), ModelContext(container))
    theirs.insert(Mark())
    try theirs.save()
    let mark = try #require(try mine.all(Mark.self).first)
    mark.isOpen = true
    mark.name = "mine"
    try #require(try theirs.all(Mark.self).first).number = 5
    try theirs.save()
    mine.processPendingChanges()
    #expect(mark.number == 5 && mark.isOpen)
    mine.rollback()
    #expect(mark.name == "" && mark.number == 5 && mark.isOpen)
  }
}

@Model final class Mark {
  var name = ""
  var number = 0
  @Transient var isOpen = false

  init() {}
}
