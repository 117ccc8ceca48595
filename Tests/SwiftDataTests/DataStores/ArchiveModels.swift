import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// Models with links of all kinds, for the tests that every kind of store passes.
enum Archive {
  @Model final class Author {
    var name: String
    var born: Date?
    var languages: [String] = []
    var home: Home?
    var mood = Mood.calm
    @Attribute(.transformable(by: UppercasingTransformer.self)) var motto: String?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    @Relationship(inverse: \Desk.owner) var desk: Desk?
    /// Without inverse.
    var favourites: [Label] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var pages: Int
    var author: Author?
    @Relationship(inverse: \Label.books) var labels: [Label] = []
    @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []

    init(_ title: String, pages: Int = 100) {
      self.title = title
      self.pages = pages
    }
  }

  @Model final class Chapter {
    var number: Int
    var book: Book?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Label {
    var text: String
    var books: [Book] = []

    init(_ text: String) { self.text = text }
  }

  @Model final class Desk {
    var place: String
    var owner: Author?

    init(_ place: String) { self.place = place }
  }

  /// Without relationships.
  typealias Note = OpenSwiftDataTestModels.Note

  struct Home: Codable, Equatable, Sendable {
    var city: String
    var number: Int?
  }

  enum Mood: String, Codable, Sendable { case calm, wild }

  static let types: [any PersistentModel.Type] = [
    Author.self, Book.self, Chapter.self, Label.self, Desk.self, Note.self,
  ]
}

/// Stores a text in capitals.
final class UppercasingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.uppercased().utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}
