package import Foundation
package import SwiftData

/// A small schema with every rule that the writers of one file can break for each other: each delete
/// rule, required to-ones, counts, a unique value, and relationships without an inverse.
package enum League {
  @Model package final class Club {
    package var number: Int
    package var value = 0
    @Relationship(deleteRule: .cascade, inverse: \Team.club) package var teams: [Team] = []
    @Relationship(deleteRule: .nullify, inverse: \Fan.club) package var fans: [Fan] = []
    @Relationship(deleteRule: .deny, inverse: \Debt.club) package var debts: [Debt] = []

    package init(_ number: Int) { self.number = number }
  }

  /// The middle of a chain of cascades.
  @Model package final class Team {
    package var number: Int
    package var value = 0
    package var club: Club?
    @Relationship(deleteRule: .cascade, inverse: \Player.team) package var players: [Player] = []
    /// Lessons cannot do without, so only a team without lessons can be deleted.
    @Relationship(deleteRule: .nullify, inverse: \Lesson.team) package var lessons: [Lesson] = []

    package init(_ number: Int) { self.number = number }
  }

  @Model package final class Player {
    package var number: Int
    package var value = 0
    @Relationship package var team: Team
    @Relationship(inverse: \Seat.player) package var seat: Seat?
    @Relationship(inverse: \Fan.idols) package var followers: [Fan] = []

    package init(_ number: Int, team: Team) {
      self.number = number
      self.team = team
    }
  }

  @Model package final class Seat {
    package var number: Int
    package var value = 0
    @Attribute(.unique) package var code: Int
    package var player: Player?

    package init(_ number: Int, code: Int) {
      self.number = number
      self.code = code
    }
  }

  @Model package final class Fan {
    package var number: Int
    package var value = 0
    package var club: Club?
    package var idols: [Player] = []
    package var crew: Crew?
    /// Has no inverse.
    @Relationship package var favourite: Player?

    package init(_ number: Int) { self.number = number }
  }

  @Model package final class Lesson {
    package var number: Int
    package var value = 0
    @Relationship package var team: Team
    /// Has no inverse.
    @Relationship package var teacher: Fan

    package init(_ number: Int, team: Team, teacher: Fan) {
      self.number = number
      self.team = team
      self.teacher = teacher
    }
  }

  @Model package final class Debt {
    package var number: Int
    package var value = 0
    package var club: Club?

    package init(_ number: Int) { self.number = number }
  }

  @Model package final class Crew {
    package var number: Int
    package var value = 0
    @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Fan.crew)
    package var members: [Fan] = []
    /// Has no inverse.
    @Relationship package var tabs: [Debt] = []

    package init(_ number: Int, members: [Fan]) {
      self.number = number
      self.members = members
    }
  }

  package static let types: [any PersistentModel.Type] = [
    Club.self, Team.self, Player.self, Seat.self, Fan.self, Lesson.self, Debt.self, Crew.self,
  ]

  package static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)])
  }
}

/// What all classes of the league have: a number that tells it apart, and a value to edit.
package protocol LeagueModel: PersistentModel {
  var number: Int { get }
  var value: Int { get set }
}

extension League.Club: LeagueModel {}
extension League.Team: LeagueModel {}
extension League.Player: LeagueModel {}
extension League.Seat: LeagueModel {}
extension League.Fan: LeagueModel {}
extension League.Lesson: LeagueModel {}
extension League.Debt: LeagueModel {}
extension League.Crew: LeagueModel {}
