import Foundation
import SwiftData

/// A small schema in which every shape of relationship meets every delete rule that nobody else's
/// rows need: the ground of the random programs.
enum World {
  @Model final class Team {
    var number: Int
    var value = 0
    @Attribute(.unique) var code: Int
    @Relationship(deleteRule: .cascade, inverse: \Member.team) var members: [Member] = []

    init(_ number: Int, code: Int) {
      self.number = number
      self.code = code
    }
  }

  @Model class Member {
    var number: Int
    var value = 0
    var team: Team?
    var mentor: Member?
    @Relationship(inverse: \Member.mentor) var pupils: [Member] = []
    @Relationship(deleteRule: .cascade, inverse: \Badge.holder) var badge: Badge?
    @Relationship(inverse: \Club.members) var clubs: [Club] = []
    @Relationship(deleteRule: .deny, inverse: \Chore.assignee) var chores: [Chore] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Captain: Member {
    var rank: Int

    override init(_ number: Int) {
      rank = number
      super.init(number)
    }
  }

  @Model final class Club {
    var number: Int
    var value = 0
    @Attribute(.unique) var code: Int
    var members: [Member] = []

    init(_ number: Int, code: Int) {
      self.number = number
      self.code = code
    }
  }

  @Model final class Badge {
    var number: Int
    @Attribute(.unique) var value: Int
    var holder: Member?

    init(_ number: Int, value: Int) {
      self.number = number
      self.value = value
    }
  }

  @Model final class Chore {
    var number: Int
    var value = 0
    var assignee: Member?

    init(_ number: Int) { self.number = number }
  }

  static let types: [any PersistentModel.Type] = [
    Team.self, Member.self, Captain.self, Club.self, Badge.self, Chore.self,
  ]

  static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)])
  }
}

/// What all classes of the world have: a number that tells it apart, and a value to edit.
protocol Citizen: PersistentModel {
  var number: Int { get }
  var value: Int { get set }
}

extension World.Team: Citizen {}
extension World.Member: Citizen {}
extension World.Club: Citizen {}
extension World.Badge: Citizen {}
extension World.Chore: Citizen {}

/// A class of the world.
enum Kind: Int, CaseIterable {
  case team, member, captain, club, badge, chore

  /// Whether a new one becomes the row that has its unique value.
  var isUnique: Bool { uniqueEnd != nil }

  /// The end of a bond that belongs to a class with a unique value.
  var uniqueEnd: (bond: Bond, side: Bond.Side)? {
    switch self {
    case .team: (.team, .left)
    case .club: (.club, .right)
    case .badge: (.badge, .right)
    case .member, .captain, .chore: nil
    }
  }

  /// - Parameter code: The unique value of a team, a club or a badge.
  func make(_ number: Int, code: Int) -> any Citizen {
    switch self {
    case .team: World.Team(number, code: code)
    case .member: World.Member(number)
    case .captain: World.Captain(number)
    case .club: World.Club(number, code: code)
    case .badge: World.Badge(number, value: code)
    case .chore: World.Chore(number)
    }
  }

  var isMember: Bool { self == .member || self == .captain }

  init(of model: any Citizen) {
    self =
      switch model {
      case is World.Team: .team
      case is World.Captain: .captain
      case is World.Member: .member
      case is World.Club: .club
      case is World.Badge: .badge
      default: .chore
      }
  }
}

/// A relationship with its two ends. The left end is the one with a delete rule, where there is one.
enum Bond: Int, CaseIterable {
  /// Team ∞ member, cascades.
  case team
  /// Member ∞ member, nullifies.
  case mentor
  /// Member - badge, cascades.
  case badge
  /// Member ∞ ∞ club, nullifies.
  case club
  /// Member ∞ chore, denies.
  case chore

  enum Side { case left, right }

  var cascades: Bool { self == .team || self == .badge }

  /// Whether one on this side can have several partners.
  func isToMany(_ side: Side) -> Bool {
    switch (self, side) {
    case (.club, _): true
    case (.badge, _), (_, .right): false
    default: true
    }
  }

  func accepts(_ kind: Kind, on side: Side) -> Bool {
    switch (self, side) {
    case (.team, .left): kind == .team
    case (.badge, .right): kind == .badge
    case (.club, .right): kind == .club
    case (.chore, .right): kind == .chore
    default: kind.isMember
    }
  }

  /// How user code reads and writes one end.
  func end(_ side: Side) -> End {
    switch (self, side) {
    case (.team, .left): .toMany(\World.Team.members)
    case (.team, .right): .toOne(\World.Member.team)
    case (.mentor, .left): .toMany(\World.Member.pupils)
    case (.mentor, .right): .toOne(\World.Member.mentor)
    case (.badge, .left): .toOne(\World.Member.badge)
    case (.badge, .right): .toOne(\World.Badge.holder)
    case (.club, .left): .toMany(\World.Member.clubs)
    case (.club, .right): .toMany(\World.Club.members)
    case (.chore, .left): .toMany(\World.Member.chores)
    case (.chore, .right): .toOne(\World.Chore.assignee)
    }
  }
}

extension Bond.Side {
  var opposite: Bond.Side { self == .left ? .right : .left }
}

/// One end of a relationship, as closures over models of any class.
struct End {
  let read: (any Citizen) -> [any Citizen]
  let write: (any Citizen, [any Citizen]) -> Void
  let append: (any Citizen, any Citizen) -> Void
  let remove: (any Citizen, any Citizen) -> Void

  static func toOne<M: Citizen, N: Citizen>(_ path: ReferenceWritableKeyPath<M, N?>) -> End {
    func set(_ owner: any Citizen, _ partner: (any Citizen)?) {
      (owner as? M)?[keyPath: path] = partner as? N
    }
    return End(
      read: { ($0 as? M)?[keyPath: path].map { [$0] } ?? [] },
      write: { set($0, $1.first) },
      append: { set($0, $1) },
      remove: { owner, _ in set(owner, nil) })
  }

  static func toMany<M: Citizen, N: Citizen>(_ path: ReferenceWritableKeyPath<M, [N]>) -> End {
    End(
      read: { ($0 as? M)?[keyPath: path] ?? [] },
      write: { ($0 as? M)?[keyPath: path] = $1.compactMap { $0 as? N } },
      append: { owner, member in
        if let member = member as? N { (owner as? M)?[keyPath: path].append(member) }
      },
      remove: { owner, member in (owner as? M)?[keyPath: path].removeAll { $0 === member } })
  }
}
