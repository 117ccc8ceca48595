import Foundation
import OpenSwiftDataTestModels
import SwiftData
import Testing

/// Two short saves of models that both contexts have read before: the second one runs at each point of the
/// first, for all pairs of edits. Whatever the order, the file keeps the rules of its schema.
///
/// Inside the lock the second save has to wait, so there it is started on a thread of its own, and awaited after
/// the first.
@Suite struct SaveScheduleTests {
  /// What one of the savers does to what it has in memory.
  enum Edit: String, CaseIterable {
    case deleteClub, deleteTeam, deletePlayer, deleteFan, addTeam, addPlayer, addDebt, moveTeam
    case giveSeat, takeSeat, addIdol, leaveCrew
  }

  /// The same models as one context holds them.
  private struct Held {
    let clubs: [League.Club]
    let teams: [League.Team]
    let players: [League.Player]
    let seats: [League.Seat]
    let fans: [League.Fan]
    let crew: League.Crew
    let context: ModelContext

    init(_ context: ModelContext) throws {
      self.context = context
      func all<M: PersistentModel>(_ number: any KeyPath<M, Int> & Sendable) throws -> [M] {
        try context.fetch(FetchDescriptor<M>(sortBy: [SortDescriptor(number)]))
      }
      clubs = try all(\League.Club.number)
      teams = try all(\League.Team.number)
      players = try all(\League.Player.number)
      seats = try all(\League.Seat.number)
      fans = try all(\League.Fan.number)
      crew = try all(\League.Crew.number)[0]
      // Lists are in memory, and out of date once the other one has saved.
      for club in clubs { _ = (club.teams.count, club.fans.count, club.debts.count) }
      for team in teams { _ = (team.players.count, team.lessons.count) }
      for player in players { _ = (player.seat, player.followers.count) }
      for fan in fans { _ = (fan.idols.count, fan.crew) }
      _ = crew.members.count
    }

    func make(_ edit: Edit, _ number: Int) {
      switch edit {
      case .deleteClub: context.delete(clubs[0])
      case .deleteTeam: context.delete(teams[0])
      case .deletePlayer: context.delete(players[0])
      case .deleteFan: context.delete(fans[0])
      case .addTeam:
        let team = League.Team(number)
        context.insert(team)
        team.club = clubs[0]
      case .addPlayer: context.insert(League.Player(number, team: teams[0]))
      case .addDebt:
        let debt = League.Debt(number)
        context.insert(debt)
        debt.club = clubs[0]
      case .moveTeam: teams[0].club = clubs[1]
      case .giveSeat: players[0].seat = seats[1]
      case .takeSeat: players[1].seat = seats[0]
      case .addIdol: fans[0].idols.append(players[0])
      case .leaveCrew: fans[0].crew = nil
      }
    }
  }

  /// The store that each schedule copies.
  private static let template = Result {
    let folder = try TemporaryFolder()
    try fill(League.container(folder.store))
    return folder
  }

  private static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let clubs = [League.Club(1), League.Club(2)]
    let teams = [League.Team(11), League.Team(12)]
    let crew = League.Crew(51, members: [])
    for (club, team) in zip(clubs, teams) {
      context.insert(club)
      context.insert(team)
      team.club = club
    }
    for index in 0..<2 {
      let player = League.Player(21 + index, team: teams[index])
      let seat = League.Seat(31 + index, code: index)
      let fan = League.Fan(41 + index)
      for model: any PersistentModel in [player, seat, fan] { context.insert(model) }
      player.seat = seat
      fan.club = clubs[index]
      fan.crew = crew
    }
    context.insert(crew)
    try context.save()
  }

  private static func run(_ first: Edit, _ second: Edit, at step: SaveStep, isSibling: Bool) throws
  {
    let folder = try TemporaryFolder(copying: template.get())
    let one = try League.container(folder.store)
    let other = isSibling ? one : try League.container(folder.store)
    let (mine, theirs) = (
      try Held(ModelContext(one)), try Held(ModelContext(other))
    )
    mine.make(first, 90)
    theirs.make(second, 91)
    nonisolated(unsafe) let context = theirs.context
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    nonisolated(unsafe) let thread = Thread {
      SaveStep.$reached.withValue({ if $0 == .begun { begun.signal() } }) {
        // A rule may refuse it.
        try? context.save()
      }
      begun.signal()
      done.signal()
    }
    let hasLock = step == .locked || step == .written || step == .announced
    SaveStep.$reached.withValue({ reached in
      guard reached == step, !thread.isExecuting, !thread.isFinished else { return }
      thread.start()
      // Inside the lock the second save gets as far as that.
      if hasLock { begun.wait() } else { done.wait() }
    }) {
      try? mine.context.save()
    }
    if hasLock { done.wait() }
    let breaches = try FileRules(folder.store).breaches()
    #expect(
      breaches.isEmpty,
      "\(first) with \(second) at \(step), sibling: \(isSibling): \(breaches.map(\.text))")
  }

  @Test(arguments: Edit.allCases, [true, false])
  func everyOrderKeepsTheRules(first: Edit, isSibling: Bool) throws {
    // All points with `SAVE_STEPS=all`.
    let isWhole = ProcessInfo.processInfo.environment["SAVE_STEPS"] == "all"
    for second in Edit.allCases {
      let steps: [SaveStep] =
        isWhole
        ? [.begun, .locked, .written, .announced, .committed] : [.begun, .written, .committed]
      for step in steps {
        try SaveScheduleTests.run(first, second, at: step, isSibling: isSibling)
      }
    }
  }
}
