import Foundation
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Files that Core Data made, with inheritance.
@Suite struct CoreDataFileTests {
  private typealias Car = Garage.Car
  private typealias Person = Garage.Person
  private typealias Book = Publishing.Book
  private typealias Page = Publishing.Page

  init() { Publishing.ArchiveTransformer.register() }

  private func garage(_ file: RealFile) throws -> ModelContext {
    ModelContext(
      try file.container(
        Car.self, Garage.SportCar.self, Garage.ExpensiveSportCar.self, Person.self))
  }

  @Test func threeLevelsOfInheritanceAreRead() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let context = try garage(file)
    let cars = try context.fetch(
      FetchDescriptor<Car>(sortBy: [SortDescriptor(\.numberPlate)]))
    #expect(
      try cars.map(\.numberPlate)
        == file.column("SELECT ZNUMBERPLATE FROM ZCAR ORDER BY ZNUMBERPLATE"))
    #expect(
      try cars.map(\.maker) == file.column("SELECT ZMAKER FROM ZCAR ORDER BY ZNUMBERPLATE"))
    #expect(
      try cars.map { $0.owner?.persistentModelID.rowKey.map(String.init) ?? nil }
        == file.column("SELECT ZOWNER FROM ZCAR ORDER BY ZNUMBERPLATE"))
    #expect(cars.count == 125 && cars.count { $0 is Garage.SportCar } == 10)
    #expect(try context.fetchCount(FetchDescriptor<Garage.ExpensiveSportCar>()) == 5)
    let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.lastName)]))
    #expect(
      try people.map { $0.id.uuidString.replacing("-", with: "") }
        == file.column("SELECT hex(ZID) FROM ZPERSON ORDER BY ZLASTNAME"))
    #expect(people.reduce(0) { $0 + ($1.cars?.count ?? 0) } == cars.count { $0.owner != nil })
  }

  @Test func itIsEditedAndGoesBack() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let before = try RealFile.definitions(file.url)
    let plist = try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: file.url)
    do {
      let context = try garage(file)
      let person = Person("Ada", "Lovelace")
      let car = Garage.ExpensiveSportCar("NEW 1")
      car.owner = person
      context.insert(car)
      try context.fetch(FetchDescriptor<Car>(predicate: #Predicate { $0.numberPlate == "170" }))
        .first?.owner = person
      try context.save()
    }
    let person = try #require(
      try garage(file).fetch(
        FetchDescriptor<Person>(predicate: #Predicate { $0.lastName == "Lovelace" })
      ).first)
    #expect(person.cars?.map(\.numberPlate).sorted() == ["170", "NEW 1"])
    #expect(
      try file.column("SELECT Z_PK || ' ' || Z_ENT || ' ' || Z_OPT FROM ZCAR WHERE ZOWNER = 21")
        == ["1 1 2", "126 3 1"])
    #expect(
      try file.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
        == ["126", "0", "0", "21"])
    let added = try RealFile.definitions(file.url).filter { !before.contains($0) }
    #expect(try before.allSatisfy(RealFile.definitions(file.url).contains))
    #expect(added.allSatisfy { $0.contains("ACHANGE") || $0.contains("ATRANSACTION") })
    #expect(try SQLiteFile.data("SELECT Z_PLIST FROM Z_METADATA", in: file.url) == plist)
  }

  @Test func aNewFileOfItsModelsHasItsHashes() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Car.self, Garage.SportCar.self, Garage.ExpensiveSportCar.self, Person.self,
      configurations: ModelConfiguration(url: folder.store))
    let (made, real) = (try RealFile.metadata(folder.store), try RealFile.metadata(file.url))
    for key in ["NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest"] {
      #expect(made[key] as? NSObject == real[key] as? NSObject)
    }
    let own = try Set(RealFile.definitions(folder.store))
    #expect(try own.isSuperset(of: RealFile.definitions(file.url)))
  }

  private func publishing(_ file: RealFile, allowsSave: Bool = false) throws -> ModelContainer {
    try file.container(
      Publishing.Author.self, Publishing.Writer.self, Book.self, Publishing.GraphicNovel.self,
      Page.self, Publishing.Feedback.self, allowsSave: allowsSave)
  }

  @Test func aFileWithDerivedAttributesIsRead() throws {
    let file = try RealFile("coredataplus-SampleModel2")
    let context = ModelContext(try publishing(file))
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.uniqueID)]))
    func column(_ name: String) throws -> [String?] {
      try file.column("SELECT \(name) FROM ZBOOK ORDER BY ZUNIQUEID")
    }
    #expect(books.count == 52)
    #expect(try books.map(\.title) == column("ZTITLE"))
    #expect(try books.map { $0.pagesCount.map(String.init) } == column("ZPAGESCOUNT"))
    #expect(try books.map { "\($0.price)" } == column("ZPRICE"))
    let covers = Dictionary(grouping: books, by: \.cover.text).mapValues(\.count)
    #expect(covers == ["default cover": 51, "Cover Graphic Novel": 1])
    #expect(
      try books.map { $0.author.persistentModelID.rowKey.map(String.init) } == column("ZAUTHOR"))
    #expect(
      try books.map { "\($0.pages.count)" }
        == column("(SELECT count(*) FROM ZPAGE WHERE ZBOOK = ZBOOK.Z_PK)"))
    let novels = try context.fetch(FetchDescriptor<Publishing.GraphicNovel>())
    #expect(
      try novels.count == file.column("SELECT Z_PK FROM ZBOOK WHERE Z_ENT = 2").count)
    let pages = try context.fetch(FetchDescriptor<Page>(sortBy: [SortDescriptor(\.number)]))
    #expect(pages.count == 4970 && pages.first?.content.text.hasPrefix("content for page") == true)
    #expect(pages.contains { $0.book is Publishing.GraphicNovel })
    let authors = try context.fetch(
      FetchDescriptor<Publishing.Author>(sortBy: [SortDescriptor(\.alias)]))
    #expect(authors.map(\.alias) == ["Alessandro", "Andrea"] && authors.map(\.age) == [40, 30])
    #expect(authors.reduce(0) { $0 + ($1.books?.count ?? 0) } == 52)
    #expect(try context.fetchCount(FetchDescriptor<Publishing.Feedback>()) == 444)
  }

  @Test func aFileWithDerivedAttributesIsNotOpenedForWriting() throws {
    let file = try RealFile("coredataplus-SampleModel2")
    let bytes = try Data(contentsOf: file.url)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try publishing(file, allowsSave: true)
    }
    #expect(error?.description.contains("derived attributes") == true)
    #expect(try Data(contentsOf: file.url) == bytes)
  }

  // MARK: Files that can't be migrated

  private func publishing(
    _ file: RealFile, feedback: any PersistentModel.Type, allowsSave: Bool = false
  ) throws -> ModelContainer {
    try file.container(
      Publishing.Writer.self, Publishing.Author.self, Book.self, Publishing.GraphicNovel.self,
      Page.self, feedback, allowsSave: allowsSave)
  }

  @Test func whatModelsLackIsNoObstacleToReadingAFileWithDerivedAttributes() throws {
    let file = try RealFile("coredataplus-SampleModel2")
    let bytes = try Data(contentsOf: file.url)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try publishing(file, feedback: FewerColumns.Feedback.self, allowsSave: true)
    }
    #expect(error?.description.contains("Open it with allowsSave: false") == true)
    let context = ModelContext(try publishing(file, feedback: FewerColumns.Feedback.self))
    let found = try context.fetch(
      FetchDescriptor<FewerColumns.Feedback>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(
      try found.map(\.authorAlias)
        == file.column("SELECT ZAUTHORALIAS FROM ZFEEDBACK ORDER BY Z_PK"))
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 52)
    #expect(try Data(contentsOf: file.url) == bytes)
  }

  @Test func whatAFileWithDerivedAttributesLacksIsRefusedPlainly() throws {
    let file = try RealFile("coredataplus-SampleModel2")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try publishing(file, feedback: MoreColumns.Feedback.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("Feedback.stars (Int?) is new"), "\(text)")
    #expect(text.contains("can't be migrated here"), "\(text)")
    #expect(!text.contains("allowsSave: true"), "\(text)")
  }

  // MARK: History

  @Test func aFileWithoutHistoryGetsOne() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let context = try garage(file)
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    context.insert(Person("Ada", "Lovelace"))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [1])
    #expect(
      try file.column(
        "SELECT Z_NAME || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 AND Z_ENT < 16003")
        == ["CHANGE 1", "TRANSACTION 1"])
  }

  @Test func aFileWithoutHistoryThatIsOnlyReadSaysSo() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let context = ModelContext(
      try file.container(
        Car.self, Garage.SportCar.self, Garage.ExpensiveSportCar.self, Person.self,
        allowsSave: false))
    #expect(try context.fetchCount(FetchDescriptor<Car>()) == 125)
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(error?.description.contains("has no history") == true)
  }

  // MARK: What earlier frameworks made otherwise

  @Test func aUniqueConstraintOfTheTableNeedsNoIndex() throws {
    let file = try RealFile("coredataplus-SampleModel")
    try SQLiteFile.execute(
      """
      DROP INDEX Z_Person_UNIQUE_firstName_lastName;
      CREATE TABLE PEOPLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZUPDATEDAT TIMESTAMP, ZFIRSTNAME VARCHAR, ZLASTNAME VARCHAR, ZID BLOB, \
      UNIQUE (ZFIRSTNAME, ZLASTNAME) );
      INSERT INTO PEOPLE (Z_PK, Z_ENT, Z_OPT, ZUPDATEDAT, ZFIRSTNAME, ZLASTNAME, ZID) \
      SELECT Z_PK, Z_ENT, Z_OPT, ZUPDATEDAT, ZFIRSTNAME, ZLASTNAME, ZID FROM ZPERSON;
      DROP TABLE ZPERSON; ALTER TABLE PEOPLE RENAME TO ZPERSON
      """, in: file.url)
    let context = try garage(file)
    let first = try #require(
      try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.lastName)])).first)
    let again = Person(first.firstName ?? "", first.lastName ?? "")
    again.updatedAt = Date(timeIntervalSinceReferenceDate: 5)
    context.insert(again)
    try context.save()
    #expect(try file.column("SELECT count(*) FROM ZPERSON") == ["20"])
    #expect(
      try file.column(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'ZPERSON'")
        == ["sqlite_autoindex_ZPERSON_1"])
  }

  /// Classes can't be declared abstract, and the hashes of Apple's framework count it.
  @Test func abstractEntitiesStaySoInAMigration() throws {
    let file = try RealFile("coredataplus-SampleModel2")
    for trigger in try file.column("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try SQLiteFile.execute("DROP TRIGGER \(trigger ?? "")", in: file.url)
    }
    func hashes() throws -> [String: Data] {
      let found = try RealFile.metadata(file.url)["NSStoreModelVersionHashes"]
      return try #require(found as? [String: Data])
    }
    let before = try hashes()
    _ = try publishing(file, feedback: MoreColumns.Feedback.self, allowsSave: true)
    let after = try hashes()
    #expect(after["Writer"] == before["Writer"])
    #expect(after["Feedback"] != before["Feedback"])
    let model = try ModelCache.decode(
      SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: file.url))
    #expect(model.entities.filter(\.isAbstract).map(\.name) == ["Writer"])
    let context = ModelContext(
      try publishing(file, feedback: MoreColumns.Feedback.self, allowsSave: true))
    #expect(try context.fetchCount(FetchDescriptor<Publishing.Author>()) == 2)
  }

  @Test(arguments: [Int64(0), 20_000])
  func indexesOfEarlierModelsGoInAMigration(_ smallTable: Int64) throws {
    let store = try MigratedStore()
    try store.make([Graded.First.Item.self]) { $0.insert(Graded.First.Item("a")) }
    try SQLiteFile.execute(
      """
      CREATE INDEX ZITEM_ZNAME_INDEX ON ZITEM (ZNAME); CREATE INDEX MINE ON ZITEM (ZNAME);
      CREATE INDEX Z_Item_byName ON ZITEM (ZNAME COLLATE BINARY ASC)
      """, in: store.url)
    try SchemaChange.$smallTable.withValue(smallTable) {
      _ = try ModelContainer(
        for: Graded.Second.Item.self, configurations: ModelConfiguration(url: store.url))
    }
    let found = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'ZITEM'", in: store.url)
    #expect(found == (smallTable == 0 ? ["MINE"] : []))
  }

  /// No fetch of cars would find the rows of the subclasses.
  @Test func modelsWithoutTheSubclassesOfTheFileAreRefused() throws {
    let file = try RealFile("coredataplus-SampleModel")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try file.container(Car.self, Person.self)
    }
    let text = error?.description ?? ""
    #expect(text.contains("ExpensiveSportCar is not in the models") && text.contains("5 rows"))
    #expect(try file.column("SELECT count(*) FROM ZCAR WHERE Z_ENT > 1") == ["10"])
    #expect(try garage(file).fetchCount(FetchDescriptor<Car>()) == 125)
  }
}

/// Has no comment, which the file has.
private enum FewerColumns {
  @Model final class Feedback {
    var authorAlias: String
    var bookID: UUID
    var rating: Double

    init(authorAlias: String, bookID: UUID) {
      (self.authorAlias, self.bookID, rating) = (authorAlias, bookID, 0)
    }
  }
}

/// Has stars, which the file has not.
private enum MoreColumns {
  @Model final class Feedback {
    var authorAlias: String
    var bookID: UUID
    var comment: String?
    var rating: Double
    var stars: Int?

    init(authorAlias: String, bookID: UUID) {
      (self.authorAlias, self.bookID, rating) = (authorAlias, bookID, 0)
    }
  }
}
