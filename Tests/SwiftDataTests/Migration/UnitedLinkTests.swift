import Foundation
import SwiftData
import Synchronization
import Testing

/// Two relationships without an inverse that become each other's inverses have the links of both. Where these
/// differ, a line says how many each of them gets.
@Suite(.databases) struct UnitedLinkTests {
  enum Apart {
    @Model final class Person {
      var name: String
      @Relationship var clubs: [Club] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      @Relationship var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum Paired {
    @Model final class Person {
      var name: String
      @Relationship(inverse: \Club.people) var clubs: [Club] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ fill: ([Apart.Person], [Apart.Club]) -> Void) throws {
    let container = try ModelContainer(
      for: Apart.Person.self, Apart.Club.self, configurations: ModelConfiguration(url: folder.store)
    )
    let context = ModelContext(container)
    let people = ["Ann", "Bob"].map(Apart.Person.init)
    let clubs = ["A", "B", "C"].map(Apart.Club.init)
    for person in people { context.insert(person) }
    for club in clubs { context.insert(club) }
    fill(people, clubs)
    try context.save()
  }

  private func open() throws -> (context: ModelContext, lines: [String]) {
    let lines = Mutex<[String]>([])
    let container = try WarningLog.$receiver.withValue({ line in
      lines.withLock { $0.append(line) }
    }) {
      try ModelContainer(
        for: Paired.Person.self, Paired.Club.self,
        configurations: ModelConfiguration(url: folder.store))
    }
    return (ModelContext(container), lines.withLock { $0 }.filter { $0.contains("link") })
  }

  private static let added = [
    "1 link of Club.people is added to Person.clubs",
    "2 links of Person.clubs are added to Club.people",
  ]

  private func makeDifferent() throws {
    try make { people, clubs in
      people[0].clubs = [clubs[0], clubs[1]]
      people[1].clubs = [clubs[2]]
      clubs[0].people = [people[0]]
      clubs[1].people = [people[1]]
    }
  }

  @Test func linksThatOneSideGetsAreReported() throws {
    try makeDifferent()
    let (context, lines) = try open()
    let people = try context.fetch(FetchDescriptor<Paired.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { Set($0.clubs.map(\.name)) } == [["A", "B"], ["B", "C"]])
    #expect(lines.count == 1, "\(lines)")
    #expect(Self.added.allSatisfy { lines.first?.contains($0) == true }, "\(lines)")
    #expect(try open().lines.isEmpty)
  }

  @Test(.sqliteOnly("a preview of a file")) func aPreviewNamesThem() throws {
    try makeDifferent()
    let preview = try #require(
      try ModelContainer.migrationPreview(
        for: Schema([Paired.Person.self, Paired.Club.self]),
        configurations: [ModelConfiguration(url: folder.store)]
      ).first)
    #expect(preview.problems.isEmpty && preview.losses.isEmpty)
    #expect(Self.added.allSatisfy(preview.description.contains), "\(preview)")
  }

  @Test func equalLinksAreNotReported() throws {
    try make { people, clubs in
      people[0].clubs = [clubs[0]]
      clubs[0].people = [people[0]]
    }
    let (context, lines) = try open()
    let people = try context.fetch(FetchDescriptor<Paired.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { $0.clubs.map(\.name) } == [["A"], []])
    #expect(lines.isEmpty, "\(lines)")
  }

  // MARK: One side had an inverse

  enum Owned {
    @Model final class Team {
      var name: String
      @Relationship(inverse: \Player.team) var players: [Player] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Player {
      var name: String
      var team: Team?
      @Relationship var loan: Team?
      init(_ name: String) { self.name = name }
    }
  }

  enum Lent {
    @Model final class Team {
      var name: String
      @Relationship(inverse: \Player.loan) var players: [Player] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Player {
      var name: String
      var team: Team?
      var loan: Team?
      init(_ name: String) { self.name = name }
    }
  }

  @Test func linksOfAnInverseToOneModelAreReported() throws {
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Owned.Team.self, Owned.Player.self,
          configurations: ModelConfiguration(url: folder.store)))
      let (team, players) = (Owned.Team("A"), ["x", "y"].map(Owned.Player.init))
      context.insert(team)
      for player in players { context.insert(player) }
      (players[0].team, players[1].loan) = (team, team)
      try context.save()
    }
    let lines = Mutex<[String]>([])
    let container = try WarningLog.$receiver.withValue({ line in
      lines.withLock { $0.append(line) }
    }) {
      try ModelContainer(
        for: Lent.Team.self, Lent.Player.self, configurations: ModelConfiguration(url: folder.store)
      )
    }
    let text = lines.withLock { $0 }.joined(separator: "\n")
    #expect(text.contains("1 link of Player.loan is added to Team.players"), "\(text)")
    #expect(text.contains("1 link of Team.players is added to Player.loan"), "\(text)")
    let team = try #require(try ModelContext(container).fetch(FetchDescriptor<Lent.Team>()).first)
    #expect(Set(team.players.map(\.name)) == ["x", "y"])
  }
}
