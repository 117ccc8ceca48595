import SwiftData

/// Required to-ones, with and without an inverse, and a list with a greatest count.
enum RequiredShape {
  @Model final class Team {
    var number: Int
    var value = 0
    @Relationship(deleteRule: .cascade, inverse: \Player.team) var players: [Player] = []
    @Relationship(inverse: \Lesson.team) var lessons: [Lesson] = []
    @Relationship(maximumModelCount: 3, inverse: \Guest.team) var guests: [Guest] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Player {
    var number: Int
    var value = 0
    var team: Team

    init(_ number: Int, _ team: Team) {
      self.number = number
      self.team = team
    }
  }

  @Model final class Lesson {
    var number: Int
    var value = 0
    var team: Team
    var player: Player?

    init(_ number: Int, _ team: Team) {
      self.number = number
      self.team = team
    }
  }

  @Model final class Guest {
    var number: Int
    var value = 0
    var team: Team?
    var home: Team

    init(_ number: Int, _ home: Team) {
      self.number = number
      self.home = home
    }
  }

  static var shape: Shape {
    Shape(
      "required relationships",
      kinds: [
        .root(Team.self) { Team($0) },
        .root(Player.self, requiring: Team.self) { Player($0, $1) },
        .root(Lesson.self, requiring: Team.self) { Lesson($0, $1) },
        .root(Guest.self, requiring: Team.self) { Guest($0, $1) },
      ],
      bonds: [
        [.toMany("players", \Team.players, .cascade), .required("team", \Player.team)],
        [.toMany("lessons", \Team.lessons), .required("team", \Lesson.team)],
        [.toOne("player", \Lesson.player)],
        [.toMany("guests", \Team.guests, atMost: 3), .toOne("team", \Guest.team)],
        [.required("home", \Guest.home)],
      ],
      questions: [
        .init("in a team of value", { value in #Predicate<Player> { $0.team.value == value } }) {
          reference, number, value in
          reference.related(number, "team").contains { reference.value($0) == value }
        },
        .init("number of players", { value in #Predicate<Team> { $0.players.count == value } }) {
          $0.related($1, "players").count == $2
        },
      ])
  }
}

extension RequiredShape.Team: ShapeModel {}
extension RequiredShape.Player: ShapeModel {}
extension RequiredShape.Lesson: ShapeModel {}
extension RequiredShape.Guest: ShapeModel {}
