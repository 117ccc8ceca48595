import Foundation
import SwiftData

/// The models of two files of Core Data, as far as their files hold them.
enum Garage {
  @Model class Car {
    #Unique<Car>([\.numberPlate])

    var numberPlate: String
    var maker: String?
    var model: String?
    var markedForDeletionAsOf: Date?
    @Attribute(.transformable(by: "GarageColorTransformer")) var color: Data?
    var owner: Person?
    @Transient var currentDrivingSpeed = 0

    init(_ numberPlate: String) { self.numberPlate = numberPlate }
  }

  @Model class SportCar: Car {
    override init(_ numberPlate: String) { super.init(numberPlate) }
  }

  @Model final class ExpensiveSportCar: SportCar {
    var isLimitedEdition: Bool? = false

    override init(_ numberPlate: String) { super.init(numberPlate) }
  }

  @Model final class Person {
    #Unique<Person>([\.firstName, \.lastName])

    @Attribute(.preserveValueOnDeletion) var id: UUID
    var firstName: String?
    var lastName: String?
    var updatedAt: Date
    @Relationship(inverse: \Car.owner) var cars: [Car]?

    init(_ firstName: String, _ lastName: String) {
      (id, updatedAt) = (UUID(), Date(timeIntervalSinceReferenceDate: 1))
      (self.firstName, self.lastName) = (firstName, lastName)
    }
  }
}

enum Publishing {
  /// What the app's own class `Cover` and its class `Content` are archived as.
  struct ArchivedText: Codable, Hashable {
    var text: String
  }

  /// Finds the only text that is no name of a class in an archive of such an object.
  final class ArchiveTransformer: ValueTransformer {
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data,
        let plist = try? PropertyListSerialization.propertyList(from: data, format: nil),
        let objects = (plist as? [String: Any])?["$objects"] as? [Any]
      else { return nil }
      return objects.compactMap { $0 as? String }.first { $0 != "$null" }
        .map { ArchivedText(text: $0) }
    }

    static func register() {
      for name in ["CoverTransformer", "ContentTransformer"] {
        ValueTransformer.setValueTransformer(
          ArchiveTransformer(), forName: NSValueTransformerName(name))
      }
    }
  }

  @Model class Writer {
    var age: Int16

    init(age: Int16) { self.age = age }
  }

  @Model final class Author: Writer {
    #Unique<Author>([\.alias])

    var alias: String
    var siteURL: URL?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book]?

    init(alias: String) {
      self.alias = alias
      super.init(age: 0)
    }
  }

  @Model class Book {
    #Unique<Book>([\.uniqueID])

    @Attribute(.transformable(by: "CoverTransformer")) var cover: ArchivedText
    var pagesCount: Int?
    var price: Decimal
    var publishedAt: Date
    var title: String
    var uniqueID: UUID
    var author: Author
    @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page]

    init(title: String, author: Author) {
      (cover, price, publishedAt) = (ArchivedText(text: ""), 1, .now)
      (self.title, uniqueID, self.author, pages) = (title, UUID(), author, [])
    }
  }

  @Model final class GraphicNovel: Book {
    var isBlackAndWhite: Bool

    override init(title: String, author: Author) {
      isBlackAndWhite = false
      super.init(title: title, author: author)
    }
  }

  @Model final class Page {
    @Attribute(.transformable(by: "ContentTransformer")) var content: ArchivedText
    var isBookmarked: Bool
    var number: Int32
    var book: Book

    init(number: Int32, of book: Book) {
      (content, isBookmarked) = (ArchivedText(text: ""), false)
      (self.number, self.book) = (number, book)
    }
  }

  @Model final class Feedback {
    var authorAlias: String
    var bookID: UUID
    var comment: String?
    var rating: Double

    init(authorAlias: String, bookID: UUID) {
      (self.authorAlias, self.bookID, rating) = (authorAlias, bookID, 0)
    }
  }
}
