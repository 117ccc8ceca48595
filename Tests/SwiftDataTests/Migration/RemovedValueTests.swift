import Foundation
import SwiftData
import Testing

/// What a migration deletes: refused where a name of before may have been forgotten, else named in the
/// preview and the log, and kept in a copy.
@Suite struct RemovedValueTests {
  let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Old {
    @Model final class Expense {
      var label: String
      var price: Double
      var note: String?

      init(_ label: String, _ price: Double, note: String? = nil) {
        (self.label, self.price, self.note) = (label, price, note)
      }
    }
  }

  private func make() throws {
    try store.make([Old.Expense.self]) { context in
      context.insert(Old.Expense("a", 1.5, note: "x"))
      context.insert(Old.Expense("b", 2.5))
      context.insert(Old.Expense("c", 0))
    }
  }

  func backups() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
      .filter { $0.contains("-before-") && $0.hasSuffix(".store") }.sorted()
  }

  func preview(_ types: [any PersistentModel.Type]) throws -> MigrationPreview {
    try #require(
      try ModelContainer.migrationPreview(
        for: Schema(types), configurations: [ModelConfiguration(url: store.url)]
      ).first)
  }

  // MARK: Forgotten names

  enum Forgotten {
    @Model final class Expense {
      var label: String
      var cost: Double?
      var note: String?

      init(_ label: String) { self.label = label }
    }
  }

  @Test func aForgottenOriginalNameIsRefusedWithBothWaysOut() throws {
    try make()
    let preview = try preview([Forgotten.Expense.self])
    #expect(preview.problems.map(\.property) == ["price"])
    #expect(preview.problems.first?.rowCount == 3)
    let text = try store.refusal([Forgotten.Expense.self])
    #expect(text.contains("Expense.price") && text.contains("(cost)"), "\(text)")
    #expect(text.contains("3 rows (p"), "\(text)")
    #expect(text.contains("@Attribute(originalName: \"price\")"), "\(text)")
    #expect(text.contains("static let removedProperties: Set<String> = [\"price\"]"), "\(text)")
    // A stage does not help.
    #expect(!text.contains("MigrationStage."), "\(text)")
    #expect(try backups() == [])
  }

  enum Named {
    @Model final class Expense {
      var label: String
      @Attribute(originalName: "price") var cost: Double?
      var note: String?

      init(_ label: String) { self.label = label }
    }
  }

  @Test func theFirstWayOutKeepsTheValues() throws {
    try make()
    let lines = try WarningLog.lines {
      let context = try store.open([Named.Expense.self])
      let expenses = try context.fetch(
        FetchDescriptor<Named.Expense>(sortBy: [SortDescriptor(\.label)]))
      #expect(expenses.map(\.cost) == [1.5, 2.5, 0])
    }
    #expect(lines == [])
    #expect(try backups() == [])
  }

  enum Declared {
    @Model final class Expense {
      static let removedProperties: Set<String> = ["price"]

      var label: String
      var cost: Double?
      var note: String?

      init(_ label: String) { self.label = label }
    }
  }

  @Test func theSecondWayOutDeletesThem() throws {
    try make()
    #expect(
      try preview([Declared.Expense.self]).losses.map(\.description)
        == ["3 values of Expense.price (Double)"])
    let lines = try WarningLog.lines {
      let context = try store.open([Declared.Expense.self])
      #expect(
        try context.fetch(FetchDescriptor<Declared.Expense>()).map(\.cost) == [nil, nil, nil])
    }
    #expect(lines.count == 1 && lines[0].contains("3 values of Expense.price (Double)"), "\(lines)")
    #expect(try backups().count == 1)
  }

  enum Priced {
    @Model class Item {
      var label: String
      init(_ label: String) { self.label = label }
    }
    @Model final class Offer: Item {
      var price: Double
      override init(_ label: String) {
        price = 2
        super.init(label)
      }
    }
  }

  enum Costed {
    @Model class Item {
      var label: String
      init(_ label: String) { self.label = label }
    }
    @Model final class Offer: Item {
      var cost: Double?
      override init(_ label: String) { super.init(label) }
    }
  }

  enum RootDeclared {
    @Model class Item {
      static let removedProperties: Set<String> = ["price"]

      var label: String
      init(_ label: String) { self.label = label }
    }
    @Model final class Offer: Item {
      var cost: Double?
      override init(_ label: String) { super.init(label) }
    }
  }

  @Test func theRootClassDeclaresTheRemovedPropertyOfASubclass() throws {
    try store.make([Priced.Item.self, Priced.Offer.self]) { $0.insert(Priced.Offer("a")) }
    let text = try store.refusal([Costed.Item.self, Costed.Offer.self])
    #expect(text.contains("Offer.price"), "\(text)")
    #expect(
      text.contains(
        "static let removedProperties: Set<String> = [\"price\"] in the class Item."), "\(text)")
    let context = try store.open([RootDeclared.Item.self, RootDeclared.Offer.self])
    #expect(try context.fetch(FetchDescriptor<RootDeclared.Offer>()).map(\.cost) == [nil])
  }

  enum OtherNumber {
    @Model final class Expense {
      var label: String
      var cents: Int = 0
      var note: String?

      init(_ label: String) { self.label = label }
    }
  }

  /// 1.5 is no integer, so the new property is no other name.
  @Test func aTypeThatCannotHoldTheValuesIsNoOtherName() throws {
    try make()
    let context = try store.open([OtherNumber.Expense.self])
    #expect(try context.fetch(FetchDescriptor<OtherNumber.Expense>()).map(\.cents) == [0, 0, 0])
  }

  enum WithDefault {
    @Model final class Expense {
      var label: String
      var cost: Double = 0
      var note: String?

      init(_ label: String) { self.label = label }
    }
  }

  /// Where the declared value is that of each row, the other name would change nothing.
  @Test func equalValuesAreNotAskedFor() throws {
    try store.make([Old.Expense.self]) { context in
      for label in ["a", "b"] { context.insert(Old.Expense(label, 0)) }
    }
    let context = try store.open([WithDefault.Expense.self])
    #expect(try context.fetch(FetchDescriptor<WithDefault.Expense>()).map(\.cost) == [0, 0])
  }

  // MARK: Plain removals

  enum Smaller {
    @Model final class Expense {
      var label: String
      var price: Double

      init(_ label: String) { (self.label, price) = (label, 0) }
    }
  }

  @Test func aPlainRemovalIsAutomaticAndLogged() throws {
    try make()
    let preview = try preview([Smaller.Expense.self])
    #expect(preview.problems == [])
    #expect(preview.losses.map(\.valueCount) == [1])
    #expect(preview.losses.map(\.description) == ["1 value of Expense.note (String?)"])
    #expect(preview.description.contains("deletes 1 value of Expense.note (String?)"), "\(preview)")
    let lines = try WarningLog.lines { _ = try store.open([Smaller.Expense.self]) }
    #expect(lines.count == 1 && lines[0].contains("1 value of Expense.note"), "\(lines)")
    let backup = try #require(try backups().first)
    #expect(lines[0].contains(backup), "\(lines)")
    let copy = ModelContext(
      try ModelContainer(
        for: Old.Expense.self,
        configurations: ModelConfiguration(url: store.folder.url.appending(path: backup))))
    #expect(try copy.fetch(FetchDescriptor<Old.Expense>()).compactMap(\.note) == ["x"])
  }

  @Test func anEmptyColumnIsRemovedWithoutAWord() throws {
    try store.make([Old.Expense.self]) { $0.insert(Old.Expense("a", 1)) }
    let lines = try WarningLog.lines { _ = try store.open([Smaller.Expense.self]) }
    #expect(lines == [])
    #expect(try backups() == [])
  }

  @Test func theConfigurationDecidesAboutTheCopy() throws {
    try make()
    var configuration = ModelConfiguration(url: store.url)
    configuration.keepsMigrationBackup = false
    let lines = try WarningLog.lines {
      _ = try ModelContainer(for: Schema([Smaller.Expense.self]), configurations: configuration)
    }
    #expect(lines.count == 1 && lines[0].contains("There is no copy"), "\(lines)")
    #expect(try backups() == [])
  }

  // MARK: Links

  enum Linked {
    @Model final class Team {
      var name: String
      var lead: Person?
      @Relationship(inverse: \Person.teams) var members: [Person] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String
      var teams: [Team] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Relinked {
    @Model final class Team {
      var name: String
      var head: Person?
      @Relationship(inverse: \Person.teams) var members: [Person] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String
      var teams: [Team] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Unlinked {
    @Model final class Team {
      var name: String
      var lead: Person?

      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String

      init(_ name: String) { self.name = name }
    }
  }

  private func makeTeams() throws {
    try store.make([Linked.Team.self, Linked.Person.self]) { context in
      let team = Linked.Team("A")
      context.insert(team)
      team.members = [Linked.Person("Ann"), Linked.Person("Ben")]
      team.lead = team.members[0]
    }
  }

  @Test func aRelationshipUnderAnotherNameIsRefused() throws {
    try makeTeams()
    let text = try store.refusal([Relinked.Team.self, Relinked.Person.self])
    #expect(text.contains("Team.lead") && text.contains("(head)"), "\(text)")
    #expect(text.contains("@Relationship(originalName: \"lead\")"), "\(text)")
  }

  @Test func aRemovedTableOfPairsIsReported() throws {
    try makeTeams()
    let types: [any PersistentModel.Type] = [Unlinked.Team.self, Unlinked.Person.self]
    #expect(try preview(types).losses.map(\.valueCount) == [2])
    let lines = try WarningLog.lines { _ = try store.open(types) }
    #expect(lines.count == 1 && lines[0].contains("2 values of "), "\(lines)")
    #expect(try backups().count == 1)
  }

  enum Written {
    @Model final class Author {
      var name = ""
      @Relationship(inverse: \Book.author) var books: [Book] = []
      init() {}
    }
    @Model final class Book {
      var title: String
      var author: Author?

      init(_ title: String) { self.title = title }
    }
  }

  enum Rewritten {
    @Model final class Author {
      var name = ""
      init() {}
    }
    @Model final class Book {
      var title: String
      var writer: Author?

      init(_ title: String) { self.title = title }
    }
  }

  enum Renamed {
    @Model final class Author {
      var name = ""
      init() {}
    }
    @Model final class Book {
      var title: String
      @Relationship(originalName: "author") var writer: Author?

      init(_ title: String) { self.title = title }
    }
  }

  enum WithoutAuthor {
    @Model final class Author {
      var name = ""
      init() {}
    }
    @Model final class Book {
      static let removedProperties: Set<String> = ["author"]
      var title: String
      var writer: Author?

      init(_ title: String) { self.title = title }
    }
  }

  private func makeBook() throws {
    try store.make([Written.Author.self, Written.Book.self]) { context in
      let book = Written.Book("a")
      context.insert(book)
      book.author = Written.Author()
    }
  }

  /// The list of the class whose name sorts first is removed, and its inverse has another name.
  @Test func anInverseUnderAnotherNameIsRefused() throws {
    try makeBook()
    let text = try store.refusal([Rewritten.Author.self, Rewritten.Book.self])
    #expect(text.contains("Book.author") && text.contains("(writer)"), "\(text)")
    #expect(text.contains("@Relationship(originalName: \"author\")"), "\(text)")
    #expect(text.contains("[\"author\"] in the class Book."), "\(text)")
    let context = try store.open([Renamed.Author.self, Renamed.Book.self])
    #expect(try context.fetch(FetchDescriptor<Renamed.Book>()).map { $0.writer != nil } == [true])
  }

  @Test func anInverseThatIsDeclaredAsRemovedIsRemoved() throws {
    try makeBook()
    let types: [any PersistentModel.Type] = [WithoutAuthor.Author.self, WithoutAuthor.Book.self]
    #expect(try preview(types).losses.map(\.valueCount) == [1])
    let context = try store.open(types)
    #expect(
      try context.fetch(FetchDescriptor<WithoutAuthor.Book>()).map { $0.writer == nil } == [true])
  }

  // MARK: Unrelated models

  enum Foreign {
    @Model final class Quote {
      var author: String
      var text: String

      init(_ author: String) { (self.author, text) = (author, "…") }
    }
    @Model final class Shelf {
      var label: String

      init(_ label: String) { self.label = label }
    }
  }

  enum Mine {
    typealias Quote = MinePlan.V1.Quote
  }

  enum MinePlan: SchemaMigrationPlan {
    enum V1: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Quote.self] }

      @Model final class Quote {
        var price: Decimal?
        init() {}
      }
    }
    enum V2: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Quote.self] }

      @Model final class Quote {
        var price: Decimal?
        var day: Date?
        init() {}
      }
    }
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
  }

  @Test func unrelatedModelsOfOneNameAreUnknown() throws {
    try store.make([Foreign.Quote.self]) { context in
      for number in 0..<20 { context.insert(Foreign.Quote("\(number)")) }
    }
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try ModelContainer(
        for: Mine.Quote.self, configurations: ModelConfiguration(url: store.url))
    }
    let text = error?.description ?? ""
    #expect(text.contains("Quote (20 rows)"), "\(text)")
    #expect(text.contains("list removed properties in removedProperties of Quote."), "\(text)")
    #expect(throws: SwiftDataError.unknownDataStoreSchema) { try preview([Mine.Quote.self]) }
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try ModelContainer(
        for: Schema(versionedSchema: MinePlan.V2.self), migrationPlan: MinePlan.self,
        configurations: [ModelConfiguration(url: store.url)])
    }
    #expect(try store.content() == before)
    #expect(try backups() == [])
  }

  @Test func aStoreThatNoVersionDescribesIsUnknown() throws {
    try store.make([Foreign.Shelf.self]) { $0.insert(Foreign.Shelf("a")) }
    let before = try store.content()
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try ModelContainer(
        for: Schema(versionedSchema: MinePlan.V2.self), migrationPlan: MinePlan.self,
        configurations: [ModelConfiguration(url: store.url)])
    }
    #expect(try store.content() == before)
  }

  enum WithMore {
    @Model final class Quote {
      var price: Decimal?
      var author: String

      init() { author = "x" }
    }
  }

  /// What no version has would be deleted on the way to the first one.
  @Test func aStoreOfNoVersionIsNotLedToOneWithALoss() throws {
    try store.make([WithMore.Quote.self]) { $0.insert(WithMore.Quote()) }
    let before = try store.content()
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try ModelContainer(
        for: Schema(versionedSchema: MinePlan.V2.self), migrationPlan: MinePlan.self,
        configurations: [ModelConfiguration(url: store.url)])
    }
    #expect(error?.description.contains("Quote.author") ?? false, "\(String(describing: error))")
    #expect(try store.content() == before)
  }
}
