import SwiftData
import Foundation

extension League {
  /// A class of the league.
  package enum Kind: String, CaseIterable, Codable, Sendable {
    case club, team, player, seat, fan, lesson, debt, crew

    package init(of model: any LeagueModel) {
      self =
        switch model {
        case is Club: .club
        case is Team: .team
        case is Player: .player
        case is Seat: .seat
        case is Fan: .fan
        case is Lesson: .lesson
        case is Debt: .debt
        default: .crew
        }
    }

    /// Whether a rule can refuse the deletion of one, or of what goes with it.
    var canBeKept: Bool {
      switch self {
      case .player, .seat, .debt, .crew, .lesson: false
      case .club, .team, .fan: true
      }
    }

    /// All stored models of the class that the context shows.
    func fetch(in context: ModelContext) throws -> [any LeagueModel] {
      func all<T: LeagueModel>(_ type: T.Type) throws -> [any LeagueModel] {
        try context.fetch(FetchDescriptor<T>()).sorted { $0.number < $1.number }
      }
      switch self {
      case .club: return try all(Club.self)
      case .team: return try all(Team.self)
      case .player: return try all(Player.self)
      case .seat: return try all(Seat.self)
      case .fan: return try all(Fan.self)
      case .lesson: return try all(Lesson.self)
      case .debt: return try all(Debt.self)
      case .crew: return try all(Crew.self)
      }
    }

    /// Deletes the models with a value by the rows.
    func delete(value: Int, in context: ModelContext) throws {
      switch self {
      case .club:
        try context.delete(model: Club.self, where: #Predicate { $0.value == value })
      case .team:
        try context.delete(model: Team.self, where: #Predicate { $0.value == value })
      case .player:
        try context.delete(model: Player.self, where: #Predicate { $0.value == value })
      case .seat:
        try context.delete(model: Seat.self, where: #Predicate { $0.value == value })
      case .fan:
        try context.delete(model: Fan.self, where: #Predicate { $0.value == value })
      case .lesson:
        try context.delete(model: Lesson.self, where: #Predicate { $0.value == value })
      case .debt:
        try context.delete(model: Debt.self, where: #Predicate { $0.value == value })
      case .crew:
        try context.delete(model: Crew.self, where: #Predicate { $0.value == value })
      }
    }
  }
}
