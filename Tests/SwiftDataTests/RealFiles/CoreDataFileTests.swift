import Foundation
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
      try file.column("SELECT Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == ["126", "0", "0", "21"])
    #expect(try RealFile.definitions(file.url) == before)
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
