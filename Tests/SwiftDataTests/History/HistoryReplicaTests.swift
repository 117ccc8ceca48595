import Foundation
import SwiftData
import Testing

/// The replica notices what the history does not tell.
@Suite(.databases) struct HistoryReplicaTests {
  @Test func aChangeWithoutHistoryIsNoticed() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Author.self, Book.self, Shelf.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (ann, shelf) = (Author(name: "Ann"), Shelf(label: "1"))
    let book = Book(title: "1", pages: 1, author: ann)
    book.shelves = [shelf]
    context.insert(book)
    try context.save()
    var replica = HistoryReplica()
    #expect(try replica.follow(context.container) == [])
    let tables = try StoredTables(context.container)
    for (sql, difference) in [
      ("UPDATE ZBOOK SET ZPAGES = 7", #"ZBOOK 1 has another ["ZPAGES"]"#),
      ("UPDATE ZBOOK SET ZPAGES = 1, ZAUTHOR = NULL", #"ZBOOK 1 has another ["ZAUTHOR"]"#),
      ("UPDATE ZBOOK SET ZAUTHOR = 1; DELETE FROM Z_2SHELVES", "Z_2SHELVES has other pairs"),
      ("DELETE FROM ZSHELF", "ZSHELF 1 is there still"),
    ] {
      try tables.execute(sql)
      #expect(try replica.follow(context.container).first == difference)
    }
  }
}
