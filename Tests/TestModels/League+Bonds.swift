import SwiftData

extension League {
  /// A relationship with its two ends, named for the property of its left end. The left end is the one
  /// with a delete rule, or the only one that is a property.
  package enum Bond: String, CaseIterable, Codable, Sendable {
    /// Club ∞ team, cascades.
    case teams
    /// Team ∞ player, cascades, required.
    case players
    /// Team ∞ lesson, nullifies, required.
    case lessons
    /// Club ∞ fan, nullifies.
    case fans
    /// Club ∞ debt, denies.
    case debts
    /// Player - seat, nullifies.
    case seat
    /// Fan ∞ ∞ player, nullifies.
    case idols
    /// Crew ∞ fan, one to three.
    case members
    /// Fan → player.
    case favourite
    /// Lesson → fan, required.
    case teacher
    /// Crew → debts.
    case tabs
  }

  package enum Side: String, Codable, Sendable {
    case left, right

    var opposite: Side { self == .left ? .right : .left }
  }
}

extension League.Bond {
  package enum Form {
    case oneToMany, oneToOne, manyToMany
    /// A to-one without an inverse.
    case reference
    /// A to-many without an inverse.
    case collection
  }

  package var form: Form {
    switch self {
    case .teams, .players, .lessons, .fans, .debts, .members: .oneToMany
    case .seat: .oneToOne
    case .idols: .manyToMany
    case .favourite, .teacher: .reference
    case .tabs: .collection
    }
  }

  /// Whether a link can make a save throw, because of what others have done.
  var canBeRefused: Bool {
    switch self {
    case .players, .lessons, .teacher, .members: true
    case .teams, .fans, .debts, .seat, .idols, .favourite, .tabs: false
    }
  }

  package func isToMany(_ side: League.Side) -> Bool {
    switch form {
    case .oneToMany: side == .left
    case .manyToMany, .collection: true
    case .oneToOne, .reference: false
    }
  }

  package func kind(_ side: League.Side) -> League.Kind {
    switch (self, side) {
    case (.teams, .left), (.fans, .left), (.debts, .left): .club
    case (.players, .left), (.lessons, .left), (.teams, .right): .team
    case (.seat, .left), (.players, .right), (.idols, .right), (.favourite, .right): .player
    case (.idols, .left), (.favourite, .left), (.fans, .right): .fan
    case (.members, .right), (.teacher, .right): .fan
    case (.members, .left), (.tabs, .left): .crew
    case (.debts, .right), (.tabs, .right): .debt
    case (.lessons, .right), (.teacher, .left): .lesson
    case (.seat, .right): .seat
    }
  }

  /// The name of the property at an end.
  package func property(_ side: League.Side) -> String? {
    if side == .left { return rawValue }
    switch self {
    case .teams, .fans, .debts: return "club"
    case .players, .lessons: return "team"
    case .seat: return "player"
    case .idols: return "followers"
    case .members: return "crew"
    case .favourite, .teacher, .tabs: return nil
    }
  }

  /// How user code reads and writes one end.
  package func end(_ side: League.Side) -> LeagueEnd? {
    switch (self, side) {
    case (.teams, .left): .toMany(\League.Club.teams)
    case (.teams, .right): .toOne(\League.Team.club)
    case (.players, .left): .toMany(\League.Team.players)
    case (.players, .right): .required(\League.Player.team)
    case (.lessons, .left): .toMany(\League.Team.lessons)
    case (.lessons, .right): .required(\League.Lesson.team)
    case (.fans, .left): .toMany(\League.Club.fans)
    case (.fans, .right): .toOne(\League.Fan.club)
    case (.debts, .left): .toMany(\League.Club.debts)
    case (.debts, .right): .toOne(\League.Debt.club)
    case (.seat, .left): .toOne(\League.Player.seat)
    case (.seat, .right): .toOne(\League.Seat.player)
    case (.idols, .left): .toMany(\League.Fan.idols)
    case (.idols, .right): .toMany(\League.Player.followers)
    case (.members, .left): .toMany(\League.Crew.members)
    case (.members, .right): .toOne(\League.Fan.crew)
    case (.favourite, .left): .toOne(\League.Fan.favourite)
    case (.teacher, .left): .required(\League.Lesson.teacher)
    case (.tabs, .left): .toMany(\League.Crew.tabs)
    case (.favourite, .right), (.teacher, .right), (.tabs, .right): nil
    }
  }
}

/// One end of a relationship, as closures over models of any class.
package struct LeagueEnd {
  package let read: (any LeagueModel) -> [any LeagueModel]
  /// A required to-one is left as it is where there is no partner.
  let write: (any LeagueModel, [any LeagueModel]) -> Void
  var isRequired = false

  static func toOne<M: LeagueModel, N: LeagueModel>(
    _ path: ReferenceWritableKeyPath<M, N?>
  ) -> LeagueEnd {
    LeagueEnd(
      read: { ($0 as? M)?[keyPath: path].map { [$0] } ?? [] },
      write: { ($0 as? M)?[keyPath: path] = $1.first as? N })
  }

  static func required<M: LeagueModel, N: LeagueModel>(
    _ path: ReferenceWritableKeyPath<M, N>
  ) -> LeagueEnd {
    LeagueEnd(
      read: { ($0 as? M).map { [$0[keyPath: path]] } ?? [] },
      write: { owner, partners in
        if let partner = partners.first as? N { (owner as? M)?[keyPath: path] = partner }
      }, isRequired: true)
  }

  static func toMany<M: LeagueModel, N: LeagueModel>(
    _ path: ReferenceWritableKeyPath<M, [N]>
  ) -> LeagueEnd {
    LeagueEnd(
      read: { ($0 as? M)?[keyPath: path] ?? [] },
      write: { ($0 as? M)?[keyPath: path] = $1.compactMap { $0 as? N } })
  }
}
