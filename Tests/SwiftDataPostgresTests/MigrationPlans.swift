import Foundation
import SwiftData

/// Inserts a row for each time that it runs.
enum CountingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Library.V1.self, Library.V2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Library.V1.self, toVersion: Library.V2.self, willMigrate: nil,
        didMigrate: { context in
          context.insert(Library.V2.Archive("ran"))
          try context.save()
        })
    ]
  }
}

/// Throws after the tables have changed and rows were written.
enum FailingPlan: SchemaMigrationPlan {
  struct Failure: Error {}

  static var schemas: [any VersionedSchema.Type] { [Library.V1.self, Library.V2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Library.V1.self, toVersion: Library.V2.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<Library.V1.Note>()) { context.delete(note) }
          try context.save()
        },
        didMigrate: { context in
          context.insert(Library.V2.Archive("lost"))
          try context.save()
          throw Failure()
        })
    ]
  }
}

/// A version in which the names of authors are unique.
enum UniqueAuthors {
  @Model final class Book {
    var name: String
    var pages: Int
    var price: Double
    var isLent: Bool
    var kind: Library.V1.Kind
    var size: Library.V1.Size
    var added: Date
    var code: UUID
    var cost: Decimal
    var subtitle: String?
    var author: Author?
    init(name: String) {
      self.name = name
      pages = 0
      price = 0
      isLent = false
      kind = .novel
      size = Library.V1.Size(width: 0, height: nil)
      added = .now
      code = UUID()
      cost = 0
    }
  }

  @Model final class Author {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }
}

/// A version whose stage inserts a note.
enum NewNotes: VersionedSchema {
  static let versionIdentifier = Schema.Version(9, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Note.self, Library.V1.Book.self, Library.V1.Author.self]
  }

  @Model final class Note {
    var text: String
    var mark = 0
    init(_ text: String) { self.text = text }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Library.V1.self, NewNotes.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Library.V1.self, toVersion: NewNotes.self, willMigrate: nil,
          didMigrate: { context in
            context.insert(Note("new"))
            try context.save()
          })
      ]
    }
  }
}
