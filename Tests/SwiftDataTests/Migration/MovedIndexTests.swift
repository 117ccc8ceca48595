import Foundation
import SwiftData
import Testing

/// Versions whose tables and columns get other names, while an index of the same name stays or is new on
/// the former ones.
enum MovedIndexes {
  // A property becomes the former one of another type.

  enum Text {
    @Model final class Product {
      @Attribute(.unique) var code: String

      init(_ code: String) { self.code = code }
    }
  }

  enum Number {
    @Model final class Product {
      @Attribute(originalName: "code") var codeText: String
      @Attribute(.unique) var code: Int?

      init(_ code: Int?) { (codeText, self.code) = ("", code) }
    }
  }

  enum Both {
    @Model final class Product {
      @Attribute(.unique) var aText: String
      @Attribute(.unique) var code: Int

      init(_ aText: String, _ code: Int) { (self.aText, self.code) = (aText, code) }
    }
  }

  // A model becomes the former one of its name.

  enum First {
    @Model final class User {
      @Attribute(.unique) var mail: String

      init(_ mail: String) { self.mail = mail }
    }
  }

  enum Second {
    @Model(originalName: "User") final class OldUser {
      var mail: String

      init(_ mail: String) { self.mail = mail }
    }

    @Model final class User {
      @Attribute(.unique) var mail: String
      var name = ""

      init(_ mail: String) { self.mail = mail }
    }
  }

  // Pairs get the names of others.

  enum Paired {
    @Model final class Group {
      var name: String
      @Relationship(inverse: \Person.groups) var members: [Person] = []
      @Relationship(inverse: \Person.clubs) var fans: [Person] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Person {
      var name: String
      var groups: [Group] = []
      var clubs: [Group] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Renamed {
    @Model final class Group {
      var name: String
      @Relationship(originalName: "members", inverse: \Person.teams) var players: [Person] = []
      @Relationship(originalName: "fans", inverse: \Person.groups) var members: [Person] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Person {
      var name: String
      @Relationship(originalName: "groups") var teams: [Group] = []
      @Relationship(originalName: "clubs") var groups: [Group] = []

      init(_ name: String) { self.name = name }
    }
  }
}

@Suite struct MovedIndexTests {
  private typealias Text = MovedIndexes.Text
  private typealias Number = MovedIndexes.Number
  private typealias Second = MovedIndexes.Second

  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  /// Small tables are made anew, large ones altered.
  static let sizes: [Int64] = [20_000, 0]

  private func makeProducts() throws {
    try store.make([Text.Product.self]) { context in
      for code in 1...10 { context.insert(Text.Product("\(code)")) }
    }
  }

  @Test(arguments: sizes) func aUniqueIndexDoesNotFollowARenamedColumn(_ size: Int64) throws {
    try makeProducts()
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Number.Product.self])
      for _ in 0..<2 {
        context.insert(Number.Product(7))
        try context.save()
      }
      #expect(
        try context.fetchCount(
          FetchDescriptor<Number.Product>(predicate: #Predicate { $0.code == 7 }))
          == 1)
      // The former column may repeat.
      #expect(
        try context.fetchCount(
          FetchDescriptor<Number.Product>(predicate: #Predicate { $0.codeText == "" })) == 1)
      context.insert(Number.Product(8))
      try context.save()
    }
  }

  @Test(arguments: sizes) func aUniqueIndexDoesNotFollowARenamedModel(_ size: Int64) throws {
    try store.make([MovedIndexes.First.User.self]) { context in
      for number in 1...5 { context.insert(MovedIndexes.First.User("\(number)@x")) }
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Second.OldUser.self, Second.User.self])
      for _ in 0..<2 {
        context.insert(Second.User("3@x"))
        context.insert(Second.OldUser("3@x"))
        try context.save()
      }
      #expect(try context.fetchCount(FetchDescriptor<Second.User>()) == 1)
      #expect(try context.fetchCount(FetchDescriptor<Second.OldUser>()) == 7)
    }
  }

  @Test(arguments: sizes) func theIndexesOfPairsHaveTheNamesOfTheirTables(_ size: Int64) throws {
    typealias Paired = MovedIndexes.Paired
    typealias Renamed = MovedIndexes.Renamed
    try store.make([Paired.Group.self, Paired.Person.self]) { context in
      let group = Paired.Group("a")
      context.insert(group)
      group.members = [Paired.Person("member")]
      group.fans = [Paired.Person("fan")]
    }
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open([Renamed.Group.self, Renamed.Person.self])
      let group = try #require(try context.fetch(FetchDescriptor<Renamed.Group>()).first)
      #expect(group.players.map(\.name) == ["member"] && group.members.map(\.name) == ["fan"])
    }
  }

  // MARK: Files of earlier builds

  private func makeNumbers(_ codes: [Int?]) throws {
    try store.make([Number.Product.self]) { context in
      for (index, code) in codes.enumerated() {
        let product = Number.Product(code)
        product.codeText = "\(index)"
        context.insert(product)
      }
    }
  }

  private func index() throws -> String? {
    try SQLiteFile.text(
      "SELECT sql FROM sqlite_schema WHERE name = 'Z_Product_UNIQUE_code'", in: store.url)
  }

  private func replaceIndex(_ definition: String) throws {
    try SQLiteFile.execute(
      "DROP INDEX Z_Product_UNIQUE_code; CREATE \(definition)", in: store.url)
  }

  @Test(arguments: [
    "UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODETEXT COLLATE BINARY ASC)",
    "UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODE, ZCODETEXT)",
    "INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODE COLLATE BINARY ASC)",
    "UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODE) WHERE ZCODE > 5",
    "UNIQUE INDEX Z_Product_UNIQUE_code ON Z_PRIMARYKEY (Z_NAME)",
  ])
  func anIndexOfAnotherDefinitionIsReplaced(_ definition: String) throws {
    try makeNumbers([1, 2, nil])
    let expected = try index()
    try replaceIndex(definition)
    let context = try store.open([Number.Product.self])
    #expect(try index() == expected)
    context.insert(Number.Product(2))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Number.Product>()) == 3)
  }

  /// The index of `code` is the only one that keeps the texts unique.
  @Test func eachPropertyHasItsIndexAfterOneWasReplaced() throws {
    typealias Product = MovedIndexes.Both.Product
    try store.make([Product.self]) { $0.insert(Product("a", 1)) }
    try SQLiteFile.execute(
      """
      DROP INDEX Z_Product_UNIQUE_code; DROP INDEX Z_Product_UNIQUE_aText;
      CREATE UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZATEXT)
      """, in: store.url)
    let context = try store.open([Product.self])
    for code in 2...3 {
      context.insert(Product("b", code))
      try context.save()
    }
    context.insert(Product("c", 1))
    try context.save()
    let order = [SortDescriptor(\Product.code)]
    let products = try context.fetch(FetchDescriptor<Product>(sortBy: order))
    #expect(products.map(\.aText) == ["c", "b"] && products.map(\.code) == [1, 3])
  }

  @Test func duplicatesUnderAnIndexOfAnotherColumnAreRefused() throws {
    try makeNumbers([1, 2])
    let wrong = "UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODETEXT COLLATE BINARY ASC)"
    try replaceIndex(wrong)
    try SQLiteFile.execute("UPDATE ZPRODUCT SET ZCODE = 1", in: store.url)
    let text = try store.refusal([Number.Product.self])
    #expect(text.contains("Product.code") && text.contains("equal values"), "\(text)")
    #expect(try index() == "CREATE " + wrong)
  }

  /// SQLite writes the statement of an index anew when a table or a column is renamed.
  @Test(arguments: [
    #"UNIQUE INDEX Z_Product_UNIQUE_code ON "ZPRODUCT" ("ZCODE" COLLATE BINARY ASC)"#,
    "UNIQUE INDEX Z_Product_UNIQUE_code ON ZPRODUCT (ZCODE)",
  ])
  func anIndexOfTheSameColumnsStays(_ definition: String) throws {
    try makeNumbers([1, 2])
    try replaceIndex(definition)
    _ = try ModelContainer(
      for: Number.Product.self, configurations: ModelConfiguration(url: store.url))
    #expect(try index() == "CREATE " + definition)
  }
}
