import Foundation
import SwiftData
import Testing

/// A migration tells in the history which rows it removed and which values it changed, and nothing else.
@Suite struct MigrationHistoryTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] {
      [Animal.self, Cat.self, Dog.self, Owner.self, Visit.self]
    }

    @Model class Animal {
      var name: String
      var owner: Owner?
      var seers: [Owner] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Cat: Animal {
      var lives: Int = 7
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Dog: Animal {
      var tricks: Int = 0
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Owner {
      var name: String
      var note: String?
      var age: Int?
      @Relationship(inverse: \Animal.owner) var animals: [Animal] = []
      var favourite: Animal?
      @Relationship(inverse: \Animal.seers) var seen: [Animal] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Visit {
      var day: Int
      init(_ day: Int) { self.day = day }
    }
  }

  /// Cats and visits are gone; owners have a value for each row, one where there was none, and another name.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Animal.self, Dog.self, Owner.self] }

    @Model class Animal {
      var name: String
      var owner: Owner?
      var seers: [Owner] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog: Animal {
      var tricks: Double = 0
      var breed: String?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Owner {
      @Attribute(originalName: "name") var title: String
      var note: String?
      var age: Int = 18
      var level: Int = 3
      @Relationship(inverse: \Animal.owner) var animals: [Animal] = []
      var favourite: Animal?
      @Relationship(inverse: \Animal.seers) var seen: [Animal] = []
      init(_ title: String) { self.title = title }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(keepsHistory: Bool = true) -> ModelConfiguration {
    var configuration = ModelConfiguration(url: folder.store)
    configuration.keepsHistory = keepsHistory
    return configuration
  }

  private func make<V: VersionedSchema>(
    _ version: V.Type, plan: (any SchemaMigrationPlan.Type)? = nil, keepsHistory: Bool = true
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: configuration(keepsHistory: keepsHistory)))
  }

  private func transactions(
    _ context: ModelContext, after token: DefaultHistoryToken
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = Descriptor()
    descriptor.predicate = #Predicate { $0.token > token }
    return try context.fetchHistory(descriptor)
  }

  private func lastToken(_ context: ModelContext) throws -> DefaultHistoryToken {
    try #require(try context.fetchHistory(Descriptor()).last).token
  }

  /// Two owners; the cat is the favourite of the first, and both have seen it.
  private func fill(_ context: ModelContext) throws {
    let (ann, ben) = (V1.Owner("Ann"), V1.Owner("Ben"))
    let (cat, dog) = (V1.Cat("Tom"), V1.Dog("Rex"))
    context.insert(ann)
    context.insert(ben)
    ann.age = 40
    (cat.owner, dog.owner) = (ann, ben)
    (ann.favourite, ben.favourite) = (cat, dog)
    (ann.seen, ben.seen) = ([cat, dog], [cat])
    context.insert(V1.Visit(1))
    context.insert(V1.Visit(2))
    try context.save()
  }

  private func owners(
    _ context: ModelContext
  ) throws -> (ann: PersistentIdentifier, ben: PersistentIdentifier) {
    let owners = try context.fetch(
      FetchDescriptor<V2.Owner>(sortBy: [SortDescriptor(\.title)]))
    try #require(owners.map(\.title) == ["Ann", "Ben"])
    return (owners[0].persistentModelID, owners[1].persistentModelID)
  }

  // MARK: A plan

  @Test(arguments: [Int64(20_000), 0])
  func removedRowsAndChangedValuesAreInTheHistory(_ smallTable: Int64) throws {
    let token: DefaultHistoryToken
    let gone: Set<String>
    do {
      let context = try make(V1.self)
      try fill(context)
      token = try lastToken(context)
      let cats = try context.fetchIdentifiers(FetchDescriptor<V1.Cat>())
      let visits = try context.fetchIdentifiers(FetchDescriptor<V1.Visit>())
      gone = Set((cats + visits).map { "\($0.entityName) \($0.rowKey ?? 0)" })
      #expect(gone.count == 3)
    }
    let context = try SchemaChange.$smallTable.withValue(smallTable) {
      try make(V2.self, plan: Plan.self)
    }
    let found = try transactions(context, after: token)
    let transaction = try #require(found.first)
    #expect(found.count == 1 && transaction.contextName == "migration to 2.0.0")
    #expect(transaction.author == nil && transaction.processIdentifier != "")
    let (ann, ben) = try owners(context)
    var deleted: Set<String> = []
    var updated: [PersistentIdentifier: Set<PartialKeyPath<V2.Owner>>] = [:]
    for change in transaction.changes {
      switch change {
      case .delete(let deletion):
        let identifier = deletion.changedPersistentIdentifier
        deleted.insert("\(identifier.entityName) \(identifier.rowKey ?? 0)")
      case .update(let update as DefaultHistoryUpdate<V2.Owner>):
        updated[update.changedPersistentIdentifier] = Set(update.updatedAttributes)
      default: Issue.record("\(change)")
      }
    }
    #expect(transaction.changes.count == 5)
    #expect(deleted == gone)
    // Ben's favourite is still there, and Ann has an age.
    #expect(
      updated == [
        ann: [\.level, \.animals, \.favourite, \.seen], ben: [\.level, \.age, \.seen],
      ])
    #expect(try transactions(context, after: lastToken(context)).isEmpty)
    // The next save goes on behind it.
    let owner = try #require(context.model(for: ben) as? V2.Owner)
    owner.level = 4
    try context.save()
    let next = try transactions(context, after: transaction.token)
    #expect(next.map(\.transactionIdentifier) == [transaction.transactionIdentifier + 1])
    #expect(try SQLiteFile.text("PRAGMA integrity_check", in: folder.store) == "ok")
  }

  @Test func changedRowsAreOneVersionNewer() throws {
    try fill(make(V1.self))
    let versions = "SELECT Z_OPT FROM ZOWNER ORDER BY Z_PK"
    let before = try SQLiteFile.texts(versions, in: folder.store).compactMap(Int.init)
    _ = try make(V2.self, plan: Plan.self)
    let after = try SQLiteFile.texts(versions, in: folder.store).compactMap(Int.init)
    #expect(after == before.map { $0 + 1 })
    #expect(try SQLiteFile.texts("SELECT Z_OPT FROM ZANIMAL", in: folder.store) == ["1"])
  }

  @Test func aStoreWithoutHistoryLeavesASign() throws {
    try fill(make(V1.self))
    let context = try make(V2.self, plan: Plan.self, keepsHistory: false)
    let found = try context.fetchHistory(Descriptor())
    #expect(found.map(\.contextName) == [nil, "changes without history"])
    #expect(found.last?.changes.isEmpty == true)
    #expect(try SQLiteFile.integer("SELECT count(*) FROM ACHANGE", in: folder.store) == 6)
  }

  @Test func anEmptyStoreHasNothingToTell() throws {
    _ = try make(V1.self)
    for keepsHistory in [true, false] {
      let context = try make(V2.self, plan: Plan.self, keepsHistory: keepsHistory)
      #expect(try context.fetchHistory(Descriptor()).isEmpty)
    }
  }

  @Test func aFileWithoutHistoryBeginsWithNone() throws {
    try fill(make(V1.self))
    try SQLiteFile.execute(
      """
      DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING;
      DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000
      """, in: folder.store)
    let context = try make(V2.self, plan: Plan.self)
    #expect(try context.fetchHistory(Descriptor()).isEmpty)
    context.insert(V2.Owner("Eve"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [1])
  }

  // MARK: Without a plan

  enum Plain {
    @Model final class Stay {
      var name: String
      var days: Int
      var rating: Int?
      init(_ name: String) { (self.name, days) = (name, 2) }
    }
  }

  /// What moves only: names, types, numbers of entities, places of bits.
  enum Moved {
    @Model final class Airport {
      var code: String = ""
      init() {}
    }

    @Model final class Stay {
      @Attribute(originalName: "name") var title: String
      var days: Double
      var about: String?
      var rating: Int?
      init(_ title: String) { (self.title, days) = (title, 2) }
    }
  }

  /// A value for all comes before the others, and the entity has another number.
  enum Valued {
    typealias Airport = Moved.Airport

    @Model final class Stay {
      var active: Bool = true
      var name: String
      var days: Int
      var rating: Int = 5
      var token: UUID = UUID()
      init(_ name: String) { (self.name, days) = (name, 2) }
    }
  }

  private func open(
    _ types: [any PersistentModel.Type], keepsHistory: Bool = true
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: configuration(keepsHistory: keepsHistory)))
  }

  private func makeStays() throws -> DefaultHistoryToken {
    let context = try open([Plain.Stay.self])
    for name in ["a", "b"] { context.insert(Plain.Stay(name)) }
    try context.save()
    for trip in try context.fetch(FetchDescriptor<Plain.Stay>()) {
      trip.days = 3
      if trip.name == "b" { trip.rating = 1 }
    }
    try context.save()
    return try lastToken(context)
  }

  @Test(arguments: [Int64(20_000), 0], [true, false])
  func movedValuesAreNotInTheHistory(_ smallTable: Int64, _ keepsHistory: Bool) throws {
    let token = try makeStays()
    let context = try SchemaChange.$smallTable.withValue(smallTable) {
      try open([Moved.Stay.self, Moved.Airport.self], keepsHistory: keepsHistory)
    }
    #expect(try context.fetch(FetchDescriptor<Moved.Stay>()).map(\.days) == [3, 3])
    #expect(try transactions(context, after: token).isEmpty)
    #expect(
      try SQLiteFile.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'", in: folder.store) == 2)
    #expect(try SQLiteFile.texts("SELECT Z_OPT FROM ZSTAY", in: folder.store) == ["2", "2"])
  }

  @Test(arguments: [Int64(20_000), 0])
  func earlierChangesKeepTheirProperties(_ smallTable: Int64) throws {
    let token = try makeStays()
    let context = try SchemaChange.$smallTable.withValue(smallTable) {
      try open([Valued.Stay.self, Valued.Airport.self])
    }
    let trips = try context.fetch(
      FetchDescriptor<Valued.Stay>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.rating) == [5, 1] && Set(trips.map(\.token)).count == 2)
    func updates(
      _ transactions: [DefaultHistoryTransaction]
    ) -> [PersistentIdentifier: Set<PartialKeyPath<Valued.Stay>>] {
      var found: [PersistentIdentifier: Set<PartialKeyPath<Valued.Stay>>] = [:]
      for change in transactions.flatMap(\.changes) {
        guard case .update(let update as DefaultHistoryUpdate<Valued.Stay>) = change else {
          continue
        }
        #expect(found[update.changedPersistentIdentifier] == nil)
        found[update.changedPersistentIdentifier] = Set(update.updatedAttributes)
      }
      return found
    }
    let found = try transactions(context, after: token)
    #expect(found.map(\.contextName) == ["migration"] && found.first?.changes.count == 2)
    let (a, b) = (trips[0].persistentModelID, trips[1].persistentModelID)
    #expect(updates(found) == [a: [\.active, \.rating, \.token], b: [\.active, \.token]])
    let earlier = try context.fetchHistory(Descriptor()).dropLast()
    #expect(updates(Array(earlier)) == [a: [\.days], b: [\.days, \.rating]])
  }
}
