import Foundation
import SwiftData

/// The models that made `Stores/first-release.sqlite`, and later versions of them.
enum FirstRelease: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Author.self, Book.self, AudioBook.self, Shelf.self]
  }

  enum Genre: String, Codable { case novel, essay }

  enum State: Codable, Equatable {
    case free, missing
    case lent(to: String)
  }

  struct Size: Codable, Equatable {
    var width: Double
    var height: Double
    var unit: String?
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model class Book {
    #Index<Book>([\.title])

    var title: String
    var pages: Int
    var price: Double?
    var genre: Genre
    var state: State
    var size: Size
    var tags: [String]
    var mark: UUID
    var isRead: Bool
    var cover: Data?
    var author: Author?
    var shelves: [Shelf] = []

    init(_ title: String) {
      (self.title, pages, genre, state) = (title, 1, .novel, .free)
      (size, tags, mark, isRead) = (Size(width: 1, height: 1), [], UUID(), false)
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Model final class AudioBook: Book {
    var minutes: Int
    var narrator: Author?

    init(_ title: String, minutes: Int) {
      self.minutes = minutes
      super.init(title)
    }
  }

  @Model final class Shelf {
    var name: String
    @Relationship(inverse: \Book.shelves) var books: [Book] = []

    init(name: String) { self.name = name }
  }
}

/// A property is renamed, one is new, one gets another type, and the shelves are gone.
enum SecondRelease: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self, AudioBook.self] }

  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Date?
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model class Book {
    @Attribute(originalName: "title") var heading: String
    var pages: Double
    var genre: FirstRelease.Genre
    var state: FirstRelease.State
    var size: FirstRelease.Size
    var tags: [String]
    var mark: UUID
    var isRead: Bool
    @Attribute(.externalStorage) var cover: Data?
    var copies: Int = 2
    var author: Author?

    init(_ heading: String) {
      (self.heading, pages, genre, state) = (heading, 1, .novel, .free)
      (size, tags, mark) = (FirstRelease.Size(width: 1, height: 1), [], UUID())
      isRead = false
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Model final class AudioBook: Book {
    var minutes: Int
    var narrator: Author?

    init(_ heading: String, minutes: Int) {
      self.minutes = minutes
      super.init(heading)
    }
  }

  /// The authors of books on shelves are noted before the shelves go.
  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [FirstRelease.self, SecondRelease.self]
    static let stages = [
      MigrationStage.custom(
        fromVersion: FirstRelease.self, toVersion: SecondRelease.self,
        willMigrate: { context in
          for shelf in try context.fetch(FetchDescriptor<FirstRelease.Shelf>()) {
            for book in shelf.books { book.tags.append("on \(shelf.name)") }
          }
          try context.save()
        },
        didMigrate: { context in
          for author in try context.fetch(FetchDescriptor<SecondRelease.Author>()) {
            author.note = author.books.map(\.heading).sorted().joined(separator: ", ")
          }
          try context.save()
        })
    ]
  }
}
