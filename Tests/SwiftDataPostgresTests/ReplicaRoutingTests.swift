import SwiftDataPostgres
import Testing

/// Which server answers, without servers.
struct ReplicaRoutingTests {
  private func check(_ routing: inout ReplicaRouting, _ now: Duration = .zero) throws
    -> ReplicaRouting.Check
  {
    guard case .check(let check) = routing.route(now: now) else {
      throw Unexpected(route: routing.route(now: now))
    }
    return check
  }

  private func expectCheck(_ routing: inout ReplicaRouting, _ now: Duration) throws {
    let standby = try check(&routing, now).standby
    #expect(standby == 0)
  }

  private struct Unexpected: Error {
    let route: ReplicaRouting.Route
  }

  /// A routing whose standby has the number.
  private func caughtUp(_ number: Int64, count: Int = 1) throws -> ReplicaRouting {
    var routing = ReplicaRouting(count: count)
    let first = try check(&routing)
    #expect(first.asksPrimary)
    #expect(routing.primaryAnswered(number, first) == number)
    routing.standbyAnswered(number, first)
    return routing
  }

  @Test func withoutStandbysThePrimaryAnswers() {
    var routing = ReplicaRouting(count: 0)
    #expect(routing.route(now: .zero) == .primary)
  }

  @Test func aStandbyThatHasEverythingAnswersWithoutChecks() throws {
    var routing = try caughtUp(7)
    for _ in 0..<3 { #expect(routing.route(now: .zero) == .standby(0)) }
  }

  @Test func afterASaveTheStandbyIsAskedAndThePrimaryIsNot() throws {
    var routing = try caughtUp(7)
    routing.include(8)
    let next = try check(&routing)
    #expect(!next.asksPrimary)
    #expect(next.floor == 8)
    routing.standbyAnswered(9, next)
    #expect(routing.route(now: .zero) == .standby(0))
    routing.include(9)
    #expect(routing.route(now: .zero) == .standby(0))
  }

  @Test func aTransactionWithoutAKnownNumberAsksThePrimary() throws {
    var routing = try caughtUp(7)
    routing.includePrimary()
    let next = try check(&routing)
    #expect(next.asksPrimary)
    #expect(routing.primaryAnswered(12, next) == 12)
  }

  @Test func aStandbyThatLagsIsReplacedAndThePauseDoubles() throws {
    var routing = try caughtUp(7, count: 2)
    routing.include(8)
    #expect(routing.standbyFailed(0, now: .zero) == true)
    let second = try check(&routing)
    #expect(second.standby == 1)
    #expect(second.asksPrimary)
    #expect(routing.standbyFailed(1, now: .zero) == false)
    #expect(routing.route(now: .milliseconds(99)) == .primary)
    try expectCheck(&routing, .milliseconds(100))
    _ = routing.standbyFailed(0, now: .milliseconds(100))
    _ = routing.standbyFailed(1, now: .milliseconds(100))
    #expect(routing.route(now: .milliseconds(299)) == .primary)
    try expectCheck(&routing, .milliseconds(300))
    #expect(routing.isDegraded)
  }

  /// Reads never go back in time: what the primary has answered meanwhile is included.
  @Test func afterAReadFromThePrimaryTheStandbyMustReachIt() throws {
    var routing = try caughtUp(7)
    _ = routing.standbyFailed(0, now: .zero)
    #expect(routing.route(now: .zero) == .primary)
    let next = try check(&routing, .seconds(1))
    #expect(next.asksPrimary)
    // Another thread reads from the primary while the standby is asked.
    #expect(routing.primaryAnswered(20, next) == 20)
    routing.includePrimary()
    routing.standbyAnswered(20, next)
    let again = try check(&routing, .seconds(1))
    #expect(again.asksPrimary)
  }

  @Test func theFailureOfAStandbyThatIsNotUsedHasNoEffect() throws {
    var routing = try caughtUp(7, count: 2)
    #expect(routing.standbyFailed(1, now: .zero) == false)
    #expect(routing.route(now: .zero) == .standby(0))
  }

  /// A primary that lost its last transactions never gets their numbers back.
  @Test func aPrimaryWithFewerTransactionsLowersTheFloor() throws {
    var routing = try caughtUp(7)
    routing.include(100)
    routing.includePrimary()
    let next = try check(&routing)
    #expect(routing.primaryAnswered(90, next) == 90)
    // A save during the check counts.
    routing.includePrimary()
    let later = try check(&routing)
    routing.include(95)
    #expect(routing.primaryAnswered(91, later) == 95)
  }
}
