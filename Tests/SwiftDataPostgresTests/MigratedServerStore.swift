import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres

/// A store on the server, opened with several versions of its models.
struct MigratedServerStore {
  let url: String

  init() throws { url = try PostgresServer.shared.addressOfNewSchema() }

  init(url: String) { self.url = url }

  func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContext {
    ModelContext(try container(Schema(versionedSchema: version), plan: plan, configure))
  }

  func container(
    _ schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: url)
    configure(&configuration)
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }

  func connect() throws -> PostgresConnection {
    try PostgresConnection(try ConnectionParameters(url))
  }

  func integer(_ sql: String) throws -> Int64? { try connect().prepare(sql).integer() }

  func fillV1(_ count: Int = 5) throws {
    let context = try open(Library.V1.self)
    let author = Library.V1.Author("Ann")
    context.insert(author)
    context.insert(Library.V1.Note("a note"))
    for number in 0..<count {
      let book = Library.V1.Book("book \(number)", pages: number)
      context.insert(book)
      if number > 0 { book.author = author }
      if number == 1 { book.subtitle = "it's \\ \"quoted\"" }
    }
    try context.save()
  }
}

/// Versions of one class: after the first change its table has other names and columns, after the others
/// other values.
enum Parts {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Part.self] }

    @Model final class Part {
      var name: String
      var note: String?
      var size: Int

      init(_ name: String, size: Int) {
        self.name = name
        self.size = size
        note = "a note"
      }
    }
  }

  /// Renamed, removed, and added with a constant or without a value.
  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Part.self] }

    @Model final class Part {
      @Attribute(originalName: "name") var title: String
      var size: Int
      var maker: Int?
      var weight = 7

      init(_ title: String, size: Int) {
        self.title = title
        self.size = size
      }
    }
  }

  /// A value for each row.
  enum V3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Part.self] }

    @Model final class Part {
      var title: String
      var size: Int
      var maker: Int?
      var weight = 7
      var code = UUID()

      init(_ title: String, size: Int) {
        self.title = title
        self.size = size
      }
    }
  }

  /// Another type.
  enum V4: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    static var models: [any PersistentModel.Type] { [Part.self] }

    @Model final class Part {
      var title: String
      var size: Double
      var maker: Int?
      var weight = 7
      var code = UUID()

      init(_ title: String, size: Double) {
        self.title = title
        self.size = size
      }
    }
  }
}

/// An enum, and one in a struct, become required.
enum Boxes {
  enum Kind: String, Codable { case small, large }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Box.self] }

    struct Size: Codable {
      var width: Int
      var kind: Kind?
    }

    @Model final class Box {
      var kind: Kind?
      var size: Size

      init(_ kind: Kind?) { (self.kind, size) = (kind, Size(width: 1, kind: kind)) }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Box.self] }

    struct Size: Codable {
      var width: Int
      var kind: Kind
    }

    @Model final class Box {
      var kind: Kind = Kind.small
      var size: Size = Size(width: 0, kind: .small)

      init() {}
    }
  }
}

/// The members of a struct are declared in another order.
enum Maps {
  struct Point: Codable { var x: Int }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Map.self] }

    struct Box: Codable {
      var min: Point
      var max: Point
    }

    @Model final class Map {
      var box: Box

      init() { box = Box(min: Point(x: 1), max: Point(x: 2)) }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Map.self] }

    struct Box: Codable {
      var max: Point
      var min: Point
    }

    @Model final class Map {
      var box: Box

      init() { box = Box(max: Point(x: 2), min: Point(x: 1)) }
    }
  }
}

/// A struct loses a member.
enum Places {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Place.self] }

    struct Address: Codable {
      var street: String
      var city: String
    }

    @Model final class Place {
      var address: Address

      init(street: String) { address = Address(street: street, city: "Rome") }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Place.self] }

    struct Address: Codable {
      var city: String
    }

    @Model final class Place {
      var address: Address

      init() { address = Address(city: "") }
    }
  }
}
