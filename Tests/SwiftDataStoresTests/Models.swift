import Foundation
import SwiftData
import SwiftDataStores

@Model
final class Author {
  @Attribute(.unique) var name: String
  var born: Int?
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(_ name: String, born: Int? = nil) {
    self.name = name
    self.born = born
  }
}

@Model
final class Book {
  var title: String
  var pages = 0
  var author: Author?
  @Relationship(inverse: \Shelf.books) var shelves: [Shelf] = []
  @Relationship(inverse: \Cover.book) var cover: Cover?

  init(_ title: String, by author: Author? = nil) {
    self.title = title
    self.author = author
  }
}

@Model
final class Shelf {
  var label: String
  var books: [Book] = []

  init(_ label: String) { self.label = label }
}

@Model
final class Cover {
  var color: String
  var book: Book?

  init(_ color: String) { self.color = color }
}

let library = Schema([Author.self, Book.self, Shelf.self, Cover.self])

/// A folder that is removed with this object.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var file: URL { url.appending(path: "library.json") }

  func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

  func read() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// A new store of the file.
  func open(_ schema: Schema = library) throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [JSONStoreConfiguration(url: file)])
  }

  func context(_ schema: Schema = library) throws -> ModelContext {
    let context = ModelContext(try open(schema))
    context.autosaveEnabled = false
    return context
  }
}

extension ModelContext {
  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try fetch(FetchDescriptor<T>()) }

  func author(_ name: String) throws -> Author? { try all(Author.self).first { $0.name == name } }

  func book(_ title: String) throws -> Book? { try all(Book.self).first { $0.title == title } }
}

/// A document with the given rows, as text.
func document(_ entities: String, header: String = "") -> String {
  """
  {
    "format": "SwiftData document",
    "formatVersion": 1,\(header)
    "entities": {
      \(entities)
    }
  }
  """
}

/// Two relationships whose inverses have the same name.
@Model
final class Voyage {
  @Relationship(inverse: \Halt.voyage) var halts: [Halt] = []
  @Relationship(inverse: \Pass.voyage) var pass: Pass?

  init() {}
}

@Model
final class Halt {
  var place: String
  var voyage: Voyage?

  init(_ place: String) { self.place = place }
}

@Model
final class Pass {
  var voyage: Voyage?

  init() {}
}
