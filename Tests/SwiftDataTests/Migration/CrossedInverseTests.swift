import Foundation
import SwiftData
import Testing

/// Versions in which two relationships exchange their inverses, or one takes over that of another.
enum CrossedInverses {
  // Pairs.

  enum Mixed: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Club.self] }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Club.fans) var memberOf: [Club] = []
      @Relationship(inverse: \Club.members) var fanOf: [Club] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      var members: [Person] = []
      var fans: [Person] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum Right: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Club.self] }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Club.members) var memberOf: [Club] = []
      @Relationship(inverse: \Club.fans) var fanOf: [Club] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      var members: [Person] = []
      var fans: [Person] = []

      init(_ name: String) { self.name = name }
    }
  }

  /// The other two of the relationships are gone.
  enum Single {
    @Model final class Person {
      var name: String
      @Relationship(inverse: \Club.members) var memberOf: [Club] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      var members: [Person] = []

      init(_ name: String) { self.name = name }
    }
  }

  private enum Code {
    @TaskLocal static var current: @Sendable (MigrationTransformation) throws -> Void = { _ in }
  }

  static func withCode(
    _ code: @Sendable (MigrationTransformation) throws -> Void, _ body: () throws -> Void
  ) throws {
    try withoutActuallyEscaping(code) { try Code.$current.withValue($0, operation: body) }
  }

  enum Plan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Mixed.self, Right.self]
    static let stages = [
      MigrationStage.transform(
        fromVersion: Mixed.self, toVersion: Right.self, transformation: { try Code.current($0) })
    ]
  }

  // Links to one model, and one that is required.

  enum MixedGames {
    @Model final class Team {
      var name: String
      @Relationship(inverse: \Game.away) var homeGames: [Game] = []
      @Relationship(inverse: \Game.home) var awayGames: [Game] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Game {
      var number: Int
      var home: Team
      var away: Team?

      init(_ number: Int, _ home: Team, _ away: Team?) {
        (self.number, self.home, self.away) = (number, home, away)
      }
    }
  }

  enum RightGames {
    @Model final class Team {
      var name: String
      @Relationship(inverse: \Game.home) var homeGames: [Game] = []
      @Relationship(inverse: \Game.away) var awayGames: [Game] = []

      init(_ name: String) { self.name = name }
    }

    @Model final class Game {
      var number: Int
      var home: Team
      var away: Team?

      init(_ number: Int, _ home: Team) { (self.number, self.home) = (number, home) }
    }
  }

  // One to one.

  enum MixedCouples {
    @Model final class Left {
      var name: String
      @Relationship(inverse: \Partner.second) var first: Partner?
      @Relationship(inverse: \Partner.first) var second: Partner?

      init(_ name: String) { self.name = name }
    }

    @Model final class Partner {
      var name: String
      var first: Left?
      var second: Left?

      init(_ name: String) { self.name = name }
    }
  }

  enum RightCouples {
    @Model final class Left {
      var name: String
      @Relationship(inverse: \Partner.first) var first: Partner?
      @Relationship(inverse: \Partner.second) var second: Partner?

      init(_ name: String) { self.name = name }
    }

    @Model final class Partner {
      var name: String
      var first: Left?
      var second: Left?

      init(_ name: String) { self.name = name }
    }
  }
}

/// Links of two relationships that become each other's inverses are not united: no row would say which
/// of them were whose.
@Suite struct CrossedInverseTests {
  private typealias Mixed = CrossedInverses.Mixed
  private typealias Right = CrossedInverses.Right
  private typealias Single = CrossedInverses.Single
  private typealias MixedGames = CrossedInverses.MixedGames
  private typealias RightGames = CrossedInverses.RightGames

  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  static let sizes: [Int64] = [20_000, 0]

  private func makeClubs(_ fill: ([Mixed.Person], [Mixed.Club]) -> Void) throws {
    try store.make([Mixed.Person.self, Mixed.Club.self]) { context in
      let people = ["Ann", "Bob"].map(Mixed.Person.init)
      let clubs = ["A", "B", "C"].map(Mixed.Club.init)
      for person in people { context.insert(person) }
      for club in clubs { context.insert(club) }
      fill(people, clubs)
    }
  }

  private func makeClubs() throws {
    try makeClubs { people, clubs in
      people[0].memberOf = [clubs[0]]
      people[0].fanOf = [clubs[1], clubs[2]]
      people[1].memberOf = [clubs[2]]
    }
  }

  @Test(arguments: sizes) func pairsOfBothAreRefused(_ size: Int64) throws {
    try makeClubs()
    try SchemaChange.$smallTable.withValue(size) {
      let text = try store.refusal([Right.Person.self, Right.Club.self])
      #expect(
        text.contains(
          "Club.fans is the inverse of Person.fanOf, but that of Person.memberOf in the store: 3 rows"
        ),
        "\(text)")
      #expect(text.contains("Club.members is the inverse of Person.memberOf"), "\(text)")
      #expect(text.contains("in a stage .transform") && !text.contains("willMigrate"), "\(text)")
    }
  }

  /// Each of the links would be in both relationships.
  @Test func pairsOfOneAreRefused() throws {
    try makeClubs { people, clubs in people[0].memberOf = [clubs[0]] }
    #expect(
      try store.refusal([Right.Person.self, Right.Club.self]).contains(
        "Club.fans is the inverse of Person.fanOf"))
  }

  @Test func theSameLinksInBothAreKept() throws {
    try makeClubs { people, clubs in
      people[0].memberOf = [clubs[0], clubs[2]]
      people[0].fanOf = [clubs[0], clubs[2]]
    }
    let context = try store.open([Right.Person.self, Right.Club.self])
    let people = try context.fetch(FetchDescriptor<Right.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { Set($0.memberOf.map(\.name)) } == [["A", "C"], []])
    #expect(people.map { Set($0.fanOf.map(\.name)) } == [["A", "C"], []])
  }

  @Test func withoutLinksInversesMayBeExchanged() throws {
    try makeClubs { _, _ in }
    _ = try store.open([Right.Person.self, Right.Club.self])
  }

  /// No other relationship gets the links too.
  @Test func aNewInverseWithoutLinksIsNoQuestion() throws {
    try makeClubs { people, clubs in people[0].memberOf = [clubs[0]] }
    let context = try store.open([Single.Person.self, Single.Club.self])
    let people = try context.fetch(FetchDescriptor<Single.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { $0.memberOf.map(\.name) } == [["A"], []])
  }

  @Test func aNewInverseWithOtherLinksIsRefused() throws {
    try makeClubs()
    #expect(
      try store.refusal([Single.Person.self, Single.Club.self]).contains(
        "Club.members is the inverse of Person.memberOf, but that of Person.fanOf in the store"))
  }

  // MARK: Transformations

  private func openByPlan() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Right.self), migrationPlan: CrossedInverses.Plan.self,
        configurations: ModelConfiguration(url: store.url)))
  }

  @Test func aTransformationDecidesWhichLinksCount() throws {
    try makeClubs()
    try CrossedInverses.withCode { transformation in
      try transformation.forEach(Mixed.Person.self, Right.Person.self) { old, new, context in
        let clubs = try context.fetch(FetchDescriptor<Right.Club>())
        let (members, fans) = (Set(old.memberOf.map(\.name)), Set(old.fanOf.map(\.name)))
        new?.memberOf = clubs.filter { members.contains($0.name) }
        new?.fanOf = clubs.filter { fans.contains($0.name) }
      }
    } _: {
      let context = try openByPlan()
      let clubs = try context.fetch(FetchDescriptor<Right.Club>(sortBy: [SortDescriptor(\.name)]))
      #expect(clubs.map { $0.members.map(\.name) } == [["Ann"], [], ["Bob"]])
      #expect(clubs.map { $0.fans.map(\.name) } == [[], ["Ann"], ["Ann"]])
    }
  }

  /// A transformation that does not set them deletes the links, and a copy of the store is kept.
  @Test func aTransformationUnitesNoLinks() throws {
    try makeClubs()
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema(versionedSchema: Right.self), migrationPlan: CrossedInverses.Plan.self,
        configurations: [ModelConfiguration(url: store.url)]
      ).first)
    #expect(preview.losses.map(\.valueCount).sorted() == [2, 2] && preview.problems.isEmpty)
    let context = try openByPlan()
    let people = try context.fetch(FetchDescriptor<Right.Person>())
    #expect(people.count == 2 && people.allSatisfy { $0.memberOf.isEmpty && $0.fanOf.isEmpty })
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
    #expect(files.contains { $0.contains("-before-2.0.0") })
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    let updated = changes.filter { if case .update = $0 { true } else { false } }
    #expect(Set(updated.map(\.changedPersistentIdentifier.entityName)) == ["Person", "Club"])
  }

  // MARK: Links to one model

  @Test(arguments: sizes, [true, false])
  func linksToOneModelAreRefused(_ size: Int64, hasBoth: Bool) throws {
    try store.make([MixedGames.Team.self, MixedGames.Game.self]) { context in
      let teams = ["A", "B"].map(MixedGames.Team.init)
      context.insert(MixedGames.Game(1, teams[0], nil))
      if hasBoth { context.insert(MixedGames.Game(2, teams[0], teams[1])) }
    }
    try SchemaChange.$smallTable.withValue(size) {
      let text = try store.refusal([RightGames.Team.self, RightGames.Game.self])
      #expect(
        text.contains(
          "Game.home is the inverse of Team.homeGames, but that of Team.awayGames in the store: "
            + (hasBoth ? "2 rows" : "1 row")), "\(text)")
      #expect(!text.contains("surplus") && !text.contains("several members"), "\(text)")
    }
  }

  @Test(arguments: [true, false]) func linksOneToOneAreRefused(hasBoth: Bool) throws {
    typealias Mixed = CrossedInverses.MixedCouples
    typealias Right = CrossedInverses.RightCouples
    try store.make([Mixed.Left.self, Mixed.Partner.self]) { context in
      let (left, partners) = (Mixed.Left("a"), ["x", "y"].map(Mixed.Partner.init))
      context.insert(left)
      for partner in partners { context.insert(partner) }
      left.first = partners[0]
      if hasBoth { left.second = partners[1] }
    }
    let text = try store.refusal([Right.Left.self, Right.Partner.self])
    #expect(text.contains("Left.first is the inverse of Partner.first"), "\(text)")
    #expect(!text.contains("surplus") && !text.contains("several models"), "\(text)")
  }
}
