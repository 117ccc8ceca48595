import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// What saves leave in the history, held against the rows before and after.
@Suite(.databases) struct HistoryWritingTests {
  private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  /// Saves, and expects the history to account for all that changed.
  private func save(
    _ context: ModelContext, isExact: Bool = true, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var audit = try HistoryAudit(context.container)
    try context.save()
    #expect(try audit.differences(isExact: isExact) == [], sourceLocation: location)
  }

  @Test func ownersOfMovedMembersChange() throws {
    let context = try context(Author.self, Book.self, Shelf.self)
    let (ann, ben) = (Author(name: "Ann"), Author(name: "Ben"))
    let books = (1...3).map { Book(title: "\($0)", pages: $0, author: ann) }
    context.insert(ann)
    context.insert(ben)
    try save(context)
    books[0].author = ben
    try save(context)
    books[1].author = nil
    books[2].author = nil
    books[2].author = ann
    try save(context)
    ben.books = [books[1], books[2]]
    context.insert(Book(title: "4", pages: 4, author: ben))
    try save(context)
    context.delete(books[1])
    try save(context)
    context.delete(ben)
    try save(context)
  }

  @Test func bothSidesOfAPairChange() throws {
    let context = try context(Author.self, Book.self, Shelf.self)
    let books = (1...3).map { Book(title: "\($0)", pages: $0) }
    let shelves = (1...3).map { Shelf(label: "\($0)") }
    for model in books { context.insert(model) }
    for model in shelves { context.insert(model) }
    try save(context)
    books[0].shelves = [shelves[0], shelves[1]]
    shelves[2].books.append(books[1])
    try save(context)
    books[0].shelves = [shelves[1], shelves[2]]
    books[0].title = "new"
    try save(context)
    context.delete(shelves[1])
    try save(context)
    context.delete(books[0])
    try save(context)
  }

  @Test func anUpsertIsAnUpdateOfTheRow() throws {
    let context = try Upserting.context()
    let maker = Upserting.Maker("a", "first")
    maker.country = Upserting.Country("PT")
    context.insert(maker)
    context.insert(Upserting.Seat("A", 1))
    try save(context)
    let again = Upserting.Maker("a", "second")
    again.country = Upserting.Country("ES")
    again.products = [Upserting.Product("new")]
    context.insert(again)
    context.insert(Upserting.Seat("A", 1, guest: "Ann"))
    context.insert(Upserting.Seat("A", 2, guest: "Ben"))
    context.insert(Upserting.Seat("A", 2, guest: "Cem"))
    try save(context, isExact: false)
    maker.code = "b"
    context.insert(Upserting.Maker("b", "third"))
    try save(context, isExact: false)
  }

  @Test func uniqueValuesMoveInOneVersion() throws {
    let context = try context(Author.self, Book.self, Shelf.self)
    let authors = ["a", "b", "c"].map { Author(name: $0) }
    for author in authors { context.insert(author) }
    try save(context)
    (authors[0].name, authors[1].name) = ("b", "a")
    authors[1].born = Date(timeIntervalSinceReferenceDate: 0)
    try save(context)
  }

  @Test(.sqliteOnly("asks the default store itself")) func relationshipsWithoutInverse() throws {
    let context = try context(OneWay.Owner.self, OneWay.Item.self, OneWay.Label.self)
    let owners = [OneWay.Owner("a"), OneWay.Owner("b")]
    let (item, label) = (OneWay.Item(1), OneWay.Label("x"))
    for owner in owners { context.insert(owner) }
    context.insert(item)
    context.insert(label)
    try context.save()
    func versions() throws -> [String] {
      let store = try #require(context.container.stores.first as? DefaultStore)
      return try store.pool.read { connection in
        let statement = try connection.prepare(
          """
          SELECT 'owner ' || ZNAME || ' ' || Z_OPT FROM ZOWNER UNION ALL
          SELECT 'item ' || Z_OPT FROM ZITEM UNION ALL SELECT 'label ' || Z_OPT FROM ZLABEL
          UNION ALL SELECT (SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ZENTITY) || ' '
            || ZENTITYPK || ' ' || iif(ZCOLUMNS IS NULL, ZCHANGETYPE, hex(ZCOLUMNS)) FROM ACHANGE
          WHERE ZTRANSACTIONID > 1 AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
          """)
        var lines: [String] = []
        while try statement.step() { lines.append(statement.string(0)) }
        return lines
      }
    }
    // A member has no property that changes; the target of a to-one neither.
    owners[0].items = [item]
    owners[0].label = label
    try context.save()
    #expect(
      try versions() == ["owner a 2", "owner b 1", "item 2", "label 2", "Owner 1 A0"])
    // The owner that loses the member without knowing it changes too.
    owners[1].items = [item]
    try context.save()
    #expect(
      try versions() == [
        "owner a 3", "owner b 2", "item 3", "label 2", "Owner 1 20", "Owner 2 20",
      ])
    context.delete(label)
    try context.save()
    let withoutLabel = try versions()
    #expect(withoutLabel == ["owner a 4", "owner b 2", "item 3", "Label 1 2", "Owner 1 80"])
    context.delete(item)
    try context.save()
    let withoutItem = try versions()
    #expect(withoutItem == ["owner a 4", "owner b 3", "Item 1 2", "Owner 2 20"])
  }

  @Test(.sqliteOnly("preserves values of deleted rows")) func aRowOfASubclassHasItsOwnBits() throws
  {
    let store = try HistoryStore([Preserving.Note.self, Preserving.Draft.self, Preserving.Tag.self])
    let draft = Preserving.Draft(code: "d", size: 1, reason: "r")
    let note = Preserving.Note(code: "n", size: 1)
    store.context.insert(draft)
    try store.context.save()
    store.context.insert(note)
    try store.context.save()
    (draft.size, note.size) = (2, 2)
    try store.context.save()
    // Bits: code, reason, size; without the reason for a note.
    #expect(
      try store.changes().suffix(2) == ["3: update Draft 1 00100000", "3: update Note 2 01000000"])
  }

  @Test(.sqliteOnly("reads the file")) func everyLeafOfACompositeHasABit() throws {
    let store = try HistoryStore([Composed.Place.self])
    let place = Composed.Place(name: "a", spot: .init(latitude: 1, longitude: 2), zone: 3)
    store.context.insert(place)
    try store.context.save()
    place.zone = 4
    try store.context.save()
    place.spot.latitude = 5
    try store.context.save()
    // Bits: name, latitude, longitude, zone.
    #expect(
      try store.changes().suffix(2) == ["2: update Place 1 00010000", "3: update Place 1 01100000"])
  }

  @Test func aBatchDeletionLeavesItsHistory() throws {
    let context = try context(Author.self, Book.self, Shelf.self)
    for author in 1...4 {
      let author = Author(name: "\(author)")
      context.insert(author)
      for pages in 1...3 {
        let book = Book(title: "\(pages)", pages: pages, author: author)
        book.shelves = [Shelf(label: "x"), Shelf(label: "y")]
        context.insert(book)
      }
    }
    try save(context)
    var audit = try HistoryAudit(context.container)
    func expectHonest(_ location: SourceLocation = #_sourceLocation) throws {
      #expect(try audit.differences() == [], sourceLocation: location)
    }
    try context.delete(model: Book.self, where: #Predicate { $0.pages > 2 })
    try expectHonest()
    try context.delete(model: Author.self, where: #Predicate { $0.name < "3" })
    try expectHonest()
    try context.delete(model: Shelf.self, where: #Predicate { $0.label == "x" })
    try expectHonest()
    try context.delete(model: Shelf.self, where: #Predicate { $0.label == "none" })
    try expectHonest()
    try context.container.erase()
    try expectHonest()
    try context.container.erase()
    try expectHonest()
  }

  /// A save continues the history after the save before it in the same transaction, without reading it again.
  @Test(.sqliteOnly("reads the file"), arguments: [false, true])
  func savesInOneTransactionContinueTheHistory(isOne: Bool) throws {
    let store = try HistoryStore([Composed.Place.self])
    let context = store.context
    let places = (1...6).map {
      Composed.Place(name: "\($0)", spot: .init(latitude: 1, longitude: 2), zone: $0)
    }
    func save(by author: String) throws {
      context.author = author
      try context.save()
    }
    func change(_ index: Int, by author: String) throws {
      places[index].name += author
      try save(by: author)
    }
    func run() throws {
      for place in places { context.insert(place) }
      try save(by: "a")
      try change(0, by: "a")
      try change(0, by: "a")
      try change(1, by: "b")
      try change(1, by: "a")
      try context.delete(model: Composed.Place.self, where: #Predicate { $0.zone == 2 })
      try change(2, by: "a")
      context.delete(places[3])
      try save(by: "a")
      try change(4, by: "a")
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      try change(4, by: "a")
      try change(5, by: "a")
    }
    if isOne { try context.transaction { try run() } } else { try run() }
    let changes = try store.changes()
    #expect(changes == ["10: update Place 5 10000000", "11: update Place 6 10000000"])
    let keys = try store.lines("SELECT Z_PK FROM ACHANGE ORDER BY 1")
    #expect(keys == ["15", "16"])
    let lastKeys = try store.lines(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002) ORDER BY Z_ENT")
    #expect(lastKeys == ["16", "11"])
    let authors = try store.lines(
      "SELECT ZNAME FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = t.ZAUTHORTS")
    #expect(authors == ["a", "a"])
  }

  @Test(.sqliteOnly("changes the default store itself"))
  func aBatchDeletionWithoutRelationshipsLeavesItsHistory() throws {
    let context = try context(Composed.Place.self)
    for index in 0..<20 {
      context.insert(
        Composed.Place(name: "\(index)", spot: .init(latitude: 1, longitude: 2), zone: index % 3))
    }
    try save(context)
    var audit = try HistoryAudit(context.container)
    context.author = "sweep"
    let zone = 1
    try context.delete(model: Composed.Place.self, where: #Predicate { $0.zone == zone })
    #expect(try audit.differences() == [])
    let store = try #require(context.container.stores.first as? DefaultStore)
    let author = try store.pool.read {
      try $0.text(
        """
        SELECT ZNAME FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = t.ZAUTHORTS
        ORDER BY t.Z_PK DESC
        """)
    }
    #expect(author == "sweep")
    try context.delete(model: Composed.Place.self)
    #expect(try audit.differences() == [])
  }
}

enum OneWay {
  @Model final class Owner {
    var name: String
    var items: [Item] = []
    var label: Label?

    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  @Model final class Label {
    var text: String

    init(_ text: String) { self.text = text }
  }
}

enum Composed {
  struct Spot: Codable, Hashable {
    var latitude: Double
    var longitude: Double
  }

  @Model final class Place {
    var name: String
    var spot: Spot
    var zone: Int

    init(name: String, spot: Spot, zone: Int) {
      self.name = name
      self.spot = spot
      self.zone = zone
    }
  }
}
