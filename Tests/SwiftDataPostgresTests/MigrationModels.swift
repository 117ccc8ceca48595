import Foundation
import SwiftData

/// Versions of one app on a server.
enum Library {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Author.self, Note.self] }

    enum Kind: String, Codable { case novel, poem }

    struct Size: Codable {
      var width: Int
      var height: Double?
    }

    @Model final class Book {
      var name: String
      var pages: Int
      var price: Double
      var isLent: Bool
      var kind: Kind
      var size: Size
      var added: Date
      var code: UUID
      var cost: Decimal
      var subtitle: String?
      var author: Author?

      init(_ name: String, pages: Int) {
        self.name = name
        self.pages = pages
        price = 1.5
        isLent = pages % 2 == 0
        kind = .poem
        size = Size(width: pages, height: nil)
        added = Date(timeIntervalSinceReferenceDate: 12.345_678)
        code = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")!
        cost = Decimal(string: "123456789012345678.000000001")!
      }
    }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Book.author) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Note {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  /// Renames, new properties with constant, evaluated and no values, a converted type, a new entity
  /// before the others in the alphabet, and a to-one relationship that becomes a list.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Book.self, Author.self, Note.self, Archive.self]
    }

    typealias Note = V1.Note

    @Model final class Archive {
      var label: String
      init(_ label: String) { self.label = label }
    }

    @Model final class Book {
      #Index<Book>([\.title])
      @Attribute(originalName: "name") var title: String
      var pages: Double
      var price: Double
      var isLent: Bool
      var kind: V1.Kind
      var size: V1.Size
      var added: Date
      var code: UUID
      var cost: Decimal
      var subtitle: String = "none"
      var rating: Int = 3
      var isNew: Bool = true
      var token: UUID = UUID()
      var remark: String?
      @Relationship(originalName: "author") var authors: [Author] = []

      init(_ title: String) {
        self.title = title
        pages = 0
        price = 0
        isLent = false
        kind = .novel
        size = V1.Size(width: 0, height: nil)
        added = .now
        code = UUID()
        cost = 0
      }
    }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Book.authors) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

    @Model final class Book {
      @Attribute(.unique) var title: String
      var length: String
      @Relationship(originalName: "authors") var authors: [Author] = []
      static let removedProperties: Set<String> = [
        "pages", "price", "isLent", "kind", "size", "added", "code", "cost", "subtitle", "rating",
        "isNew", "token", "remark",
      ]
      init(_ title: String) {
        self.title = title
        length = ""
      }
    }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Book.authors) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// A lightweight stage, then code on the old models and a transformation.
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self,
          willMigrate: { context in
            for note in try context.fetch(FetchDescriptor<V1.Note>()) { context.delete(note) }
            try context.save()
          },
          didMigrate: { context in
            for book in try context.fetch(FetchDescriptor<V2.Book>()) where book.rating == 3 {
              book.remark = "migrated \(Int(book.pages))"
            }
            context.insert(V2.Archive("made by code"))
            try context.save()
          }),
        .transform(
          fromVersion: V2.self, toVersion: V3.self,
          transformation: { transformation in
            try transformation.forEach(V2.Book.self, V3.Book.self) { old, new, _ in
              guard let new else { return }
              new.length = "\(Int(old.pages)) pages, \(old.remark ?? "")"
            }
          }),
      ]
    }
  }
}
