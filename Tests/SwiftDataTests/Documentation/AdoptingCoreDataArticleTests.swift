import Foundation
import SwiftData
import Testing

enum AdoptingCoreDataArticle {
  @Model
  final class Person {
    #Unique<Person>([\.firstName, \.lastName])

    @Attribute(.preserveValueOnDeletion) var id: UUID
    var firstName: String?
    var lastName: String?
    var updatedAt: Date
    @Relationship(inverse: \Car.owner) var cars: [Car]?

    init(firstName: String, lastName: String) {
      (id, updatedAt) = (UUID(), .now)
      (self.firstName, self.lastName) = (firstName, lastName)
    }
  }

  @Model
  class Car {
    #Unique<Car>([\.numberPlate])

    var numberPlate: String
    var maker: String?
    var model: String?
    var markedForDeletionAsOf: Date?
    @Attribute(.transformable(by: StoredBytesTransformer.self)) var color: Data?
    var owner: Person?

    init(numberPlate: String) { self.numberPlate = numberPlate }
  }

  @Model
  class SportCar: Car {
    override init(numberPlate: String) { super.init(numberPlate: numberPlate) }
  }

  @Model
  final class ExpensiveSportCar: SportCar {
    var isLimitedEdition: Bool? = false

    override init(numberPlate: String) { super.init(numberPlate: numberPlate) }
  }

  /// Keeps transformed values as their stored bytes.
  final class StoredBytesTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
  }
}

/// The samples of the article *Adopting a Core Data file*, with a file of an app.
@Suite struct AdoptingCoreDataArticleTests {
  typealias Car = AdoptingCoreDataArticle.Car
  typealias SportCar = AdoptingCoreDataArticle.SportCar
  typealias ExpensiveSportCar = AdoptingCoreDataArticle.ExpensiveSportCar
  typealias Person = AdoptingCoreDataArticle.Person

  private let real: RealFile
  private var file: URL { real.url }

  init() throws { real = try RealFile("coredataplus-SampleModel") }

  /// The file of a server; compiled only.
  private func fileOfAServer() -> URL {
    let file = URL(filePath: "/var/lib/garage/Garage.sqlite")

    return file
  }

  @Test func theFileIsReadAndStaysAsItIs() throws {
    let before = try Data(contentsOf: file)
    do {
      let container = try ModelContainer(
        for: Car.self, SportCar.self, ExpensiveSportCar.self, Person.self,
        configurations: ModelConfiguration(url: file, allowsSave: false))
      let context = ModelContext(container)
      let cars = try context.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.numberPlate)]))

      #expect(cars.count == 125 && cars.count { $0 is SportCar } == 10)
      #expect(context.unreadableValues.isEmpty)
      #expect(throws: SwiftDataError.storeReadFailure) {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      }
    }
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func theFileIsWritten() throws {
    let before = try RealFile.definitions(file)

    let container = try ModelContainer(
      for: Car.self, SportCar.self, ExpensiveSportCar.self, Person.self,
      configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    let person = Person(firstName: "Ada", lastName: "Lovelace")
    context.insert(person)
    person.cars = [Car(numberPlate: "NEW 1")]
    try context.save()

    #expect(try context.count(Car.self) == 126)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [2])
    #expect(try before.allSatisfy(RealFile.definitions(file).contains))
  }

  @Test func aClassThatIsMissingRefusesTheFile() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Car.self, Person.self, configurations: ModelConfiguration(url: file))
    }
  }

  @Test func derivedAttributesAreNotWritten() throws {
    let other = try RealFile("coredataplus-SampleModel2")
    Publishing.ArchiveTransformer.register()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try other.container(
        Publishing.Author.self, Publishing.Writer.self, Publishing.Book.self,
        Publishing.GraphicNovel.self, Publishing.Page.self, Publishing.Feedback.self)
    }
    #expect(error?.description.contains("derived attributes") == true)
  }
}
