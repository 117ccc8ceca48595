import OpenSwiftDataPostgresEngine
import Testing

struct PostgresPoolGateTests {
  let start = ContinuousClock.now

  func arrive(
    _ gate: inout PostgresPoolGate, _ purpose: PostgresPoolGate.Purpose = .write
  ) -> PostgresPoolGate.Admission {
    gate.arrive(purpose, for: "\(purpose)", at: start)
  }

  func grant(ticket: Int, seat: Int) -> PostgresPoolGate.Grant {
    PostgresPoolGate.Grant(ticket: ticket, seat: seat)
  }

  @Test func writersHaveASeatEachAndTheNextWaitsForTheFirstFree() {
    var gate = PostgresPoolGate(seats: 2)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(gate.uses.count == 2)
    #expect(gate.waiting == ["write"])
    #expect(gate.leave(seat: 1, at: start) == [grant(ticket: 1, seat: 1)])
    #expect(gate.leave(seat: 1, at: start) == [])
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(gate.isIdle)
  }

  @Test func ticketsAreServedInTheirOrderAndCanBeWithdrawn() {
    var gate = PostgresPoolGate(seats: 1)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(arrive(&gate) == .wait(ticket: 2))
    var isWithdrawn = gate.withdraw(ticket: 1)
    #expect(isWithdrawn)
    #expect(gate.leave(seat: 0, at: start) == [grant(ticket: 2, seat: 0)])
    isWithdrawn = gate.withdraw(ticket: 2)
    #expect(!isWithdrawn)
  }

  @Test func nobodyWaitsForItself() {
    var gate = PostgresPoolGate(seats: 2)
    func ask(_ thread: UInt) -> PostgresPoolGate.Admission {
      gate.arrive(.read, for: "read", at: start, thread: thread)
    }
    #expect(ask(1) == .enter(seat: 0))
    #expect(ask(2) == .enter(seat: 1))
    #expect(ask(3) == .wait(ticket: 1))
    #expect(ask(1) == .wait(ticket: 2))
    // The first thread waits for the second one.
    #expect(ask(2) == .deadlock)
    #expect(gate.leave(seat: 1, at: start) == [grant(ticket: 1, seat: 1)])
  }

  @Test func theSeatUsedLastIsUsedNext() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(arrive(&gate) == .enter(seat: 0))
  }

  @Test func seatsWithoutAConnectionAreUsedLast() {
    var gate = PostgresPoolGate(seats: 3)
    for seat in 0..<3 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(gate.leave(seat: 1, at: start, isConnected: false) == [])
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
  }

  /// Reports that the connection of a seat can't be opened.
  func refuse(
    _ gate: inout PostgresPoolGate, _ seat: Int, at time: Duration = .zero,
    pausing: Duration? = .seconds(5), tryingUntil end: Duration? = .seconds(5)
  ) -> PostgresPoolGate.Refusal {
    let (refusal, grants) = gate.refused(
      seat: seat, at: start + time, pausing: pausing, tryingUntil: end.map { start + $0 },
      after: .milliseconds(20))
    #expect(grants == [])
    return refusal
  }

  /// What a ticket does next after some time.
  func check(
    _ gate: inout PostgresPoolGate, _ ticket: Int, at time: Duration
  ) -> PostgresPoolGate.Check {
    let (check, grants) = gate.check(ticket: ticket, at: start + time)
    #expect(grants == [])
    return check
  }

  /// The seats that tickets get when one is checked.
  func granted(
    _ gate: inout PostgresPoolGate, _ ticket: Int, at time: Duration
  ) -> [PostgresPoolGate.Grant] {
    gate.check(ticket: ticket, at: start + time).grants
  }

  private func ask(_ gate: inout PostgresPoolGate, _ thread: UInt) -> PostgresPoolGate.Admission {
    gate.arrive(.read, for: "read", at: start, thread: thread)
  }

  @Test func aSeatIsExchangedForOneWithAConnection() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    // The third one has no connection yet.
    #expect(refuse(&gate, 1, pausing: nil, tryingUntil: nil) == .fail)
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(refuse(&gate, 1, pausing: nil, tryingUntil: nil) == .exchanged(seat: 0))
    #expect(refuse(&gate, 0, pausing: nil, tryingUntil: nil) == .fail)
    #expect(gate.uses.count == 1)
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(gate.isIdle)
    #expect(arrive(&gate) == .enter(seat: 0))
  }

  /// A gate with two connections, which are held, and a third request, which was refused.
  private func fullGate() -> PostgresPoolGate {
    var gate = PostgresPoolGate(seats: 4)
    for seat in 0..<3 { #expect(arrive(&gate) == .enter(seat: seat)) }
    for seat in 0..<2 { #expect(gate.didConnect(seat: seat, at: start) == []) }
    #expect(refuse(&gate, 2) == .wait(ticket: 1))
    return gate
  }

  @Test func aRefusedRequestIsTheNextToGetAConnection() {
    var gate = fullGate()
    // Nobody else asks the server now.
    #expect(arrive(&gate) == .wait(ticket: 2))
    #expect(gate.leave(seat: 1, at: start) == [grant(ticket: 1, seat: 1)])
    #expect(gate.leave(seat: 1, at: start) == [grant(ticket: 2, seat: 1)])
    #expect(gate.leave(seat: 1, at: start) == [])
    #expect(arrive(&gate) == .enter(seat: 1))
  }

  @Test func aRefusedRequestIsBeforeThoseThatOnlyWait() {
    var gate = PostgresPoolGate(seats: 2)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(gate.didConnect(seat: 0, at: start) == [])
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(refuse(&gate, 1) == .wait(ticket: 2))
    #expect(gate.leave(seat: 0, at: start) == [grant(ticket: 2, seat: 0)])
    #expect(gate.leave(seat: 0, at: start) == [grant(ticket: 1, seat: 0)])
  }

  @Test func afterThePauseTheOldestRequestTriesAndTheOthersFollowItsSuccess() {
    var gate = fullGate()
    #expect(arrive(&gate) == .wait(ticket: 2))
    #expect(check(&gate, 1, at: .seconds(1)) == .wait(until: start + .seconds(2)))
    #expect(check(&gate, 1, at: .seconds(4.5)) == .wait(until: start + .seconds(5)))
    // Whoever wakes first.
    let grants = granted(&gate, 2, at: .seconds(5))
    #expect(grants.map(\.ticket) == [1])
    // While it tries, nobody else does.
    #expect(gate.arrive(.write, for: "write", at: start + .seconds(5)) == .wait(ticket: 3))
    #expect(check(&gate, 3, at: .seconds(5)) == .wait(until: start + .seconds(6)))
    #expect(refuse(&gate, grants.first?.seat ?? 0, at: .seconds(6)) == .wait(ticket: 4))
    #expect(granted(&gate, 2, at: .seconds(10)) == [])
    let others = granted(&gate, 2, at: .seconds(11))
    #expect(others.map(\.ticket) == [4])
    let end = start + .seconds(11)
    #expect(gate.didConnect(seat: others.first?.seat ?? 0, at: end).map(\.ticket) == [2])
    #expect(gate.mayGrow)
  }

  /// They hold all seats, and leave the queue before the one that came when nothing was refused yet.
  @Test func whoWaitedBeforeARefusalTriesAfterThePause() {
    var gate = PostgresPoolGate(seats: 4)
    for seat in 0..<4 { #expect(arrive(&gate) == .enter(seat: seat)) }
    for seat in 0..<2 { #expect(gate.didConnect(seat: seat, at: start) == []) }
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(check(&gate, 1, at: .zero) == .wait(until: start + .seconds(1)))
    #expect(refuse(&gate, 2) == .wait(ticket: 2))
    #expect(refuse(&gate, 3) == .wait(ticket: 3))
    for ticket in 2...3 {
      let isWithdrawn = gate.withdraw(ticket: ticket)
      #expect(isWithdrawn)
    }
    let end = start + .seconds(5)
    // A later request does not pass it.
    #expect(gate.arrive(.write, for: "write", at: end) == .wait(ticket: 4))
    #expect(granted(&gate, 4, at: .seconds(5)).map(\.ticket) == [1])
  }

  @Test func withoutOtherConnectionsARefusedRequestGivesUpSoon() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(ask(&gate, 1) == .enter(seat: 0))
    #expect(gate.didConnect(seat: 0, at: start) == [])
    // The only connection is its own.
    #expect(ask(&gate, 1) == .enter(seat: 1))
    #expect(refuse(&gate, 1) == .wait(ticket: 1))
    let time = start + .milliseconds(20)
    #expect(check(&gate, 1, at: .zero) == .tryAgain(until: time))
    let grants = granted(&gate, 1, at: .milliseconds(20))
    #expect(grants.map(\.ticket) == [1])
    let seat = grants.first?.seat ?? 0
    #expect(refuse(&gate, seat, at: .seconds(4)) == .wait(ticket: 2))
    #expect(check(&gate, 2, at: .seconds(5)) == .giveUp)
    #expect(gate.waiting == [])
  }

  /// Each of them holds one of the two connections that there can be.
  @Test func oneOfTwoThreadsThatNeedOneMoreConnectionGivesUp() {
    var gate = PostgresPoolGate(seats: 4)
    for thread in 1...2 {
      #expect(ask(&gate, UInt(thread)) == .enter(seat: thread - 1))
      #expect(gate.didConnect(seat: thread - 1, at: start) == [])
    }
    #expect(ask(&gate, 1) == .enter(seat: 2))
    #expect(refuse(&gate, 2) == .wait(ticket: 1))
    #expect(ask(&gate, 2) == .wait(ticket: 2))
    let grants = granted(&gate, 2, at: .zero)
    #expect(grants.map(\.ticket) == [1])
    #expect(refuse(&gate, grants.first?.seat ?? 2) == .wait(ticket: 3))
    // The other one waits for it, and does not ask the server.
    #expect(check(&gate, 2, at: .zero) == .wait(until: start + .seconds(1)))
    let second = granted(&gate, 3, at: .seconds(4))
    #expect(second.map(\.ticket) == [3])
    #expect(refuse(&gate, second.first?.seat ?? 2, at: .seconds(4)) == .wait(ticket: 4))
    #expect(check(&gate, 2, at: .seconds(5)) == .wait(until: start + .seconds(6)))
    #expect(check(&gate, 4, at: .seconds(5)) == .giveUp)
    #expect(check(&gate, 2, at: .seconds(5)) == .wait(until: start + .seconds(6)))
    #expect(gate.leave(seat: 0, at: start) == [grant(ticket: 2, seat: 0)])
  }

  @Test(arguments: [Duration.seconds(30), nil])
  func aRefusedRequestWaitsForConnectionsThatOthersOpenLater(pause: Duration?) {
    var gate = PostgresPoolGate(seats: 3)
    for seat in 0..<3 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(refuse(&gate, 0, pausing: pause) == .wait(ticket: 1))
    let time = start + .milliseconds(20)
    #expect(check(&gate, 1, at: .zero) == .tryAgain(until: time))
    // A new request has the free seat.
    if pause == nil { #expect(arrive(&gate) == .enter(seat: 0)) }
    for seat in 1..<3 { #expect(gate.didConnect(seat: seat, at: start) == []) }
    #expect(check(&gate, 1, at: .seconds(5)) == .wait(until: start + .seconds(6)))
    #expect(gate.leave(seat: 1, at: start) == [grant(ticket: 1, seat: 1)])
  }

  /// Others have all seats, and may open connections.
  @Test func aRefusedRequestWithoutASeatDoesNotGiveUp() {
    var gate = PostgresPoolGate(seats: 2)
    for seat in 0..<2 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(refuse(&gate, 0, pausing: nil) == .wait(ticket: 1))
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(check(&gate, 1, at: .seconds(5)) == .wait(until: start + .seconds(6)))
    // Its last attempt.
    #expect(
      gate.leave(seat: 0, at: start, isConnected: false) == [grant(ticket: 1, seat: 0)])
    #expect(refuse(&gate, 0, at: .seconds(6), pausing: nil) == .fail)
  }

  @Test func anySuccessEndsThePause() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(refuse(&gate, 0, pausing: .seconds(30), tryingUntil: nil) == .fail)
    #expect(gate.leave(seat: 0, at: start, isConnected: false) == [])
    // Nobody has a connection.
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(arrive(&gate) == .enter(seat: 2))
    #expect(gate.didConnect(seat: 1, at: start) == [])
    #expect(gate.mayGrow)
    #expect(arrive(&gate) == .enter(seat: 0))
  }

  @Test func aSuccessThatBeganBeforeTheRefusalDoesNotEndThePause() {
    var gate = PostgresPoolGate(seats: 3)
    for seat in 0..<2 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(refuse(&gate, 1) == .wait(ticket: 1))
    #expect(gate.didConnect(seat: 0, at: start) == [])
    #expect(!gate.mayGrow)
    #expect(!gate.isComplete)
  }

  @Test func whoWaitsForConnectionsThatAreLostTriesToConnect() {
    var gate = fullGate()
    #expect(gate.leave(seat: 0, at: start, isConnected: false) == [])
    let grants = gate.leave(seat: 1, at: start, isConnected: false)
    #expect(grants.map(\.ticket) == [1])
    #expect(refuse(&gate, grants.first?.seat ?? 0, tryingUntil: nil) == .fail)
  }

  @Test func aRequestThatWillTryAgainTakesOnlyAConnectionBefore() {
    var gate = PostgresPoolGate(seats: 2)
    for seat in 0..<2 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(refuse(&gate, 0, pausing: nil) == .wait(ticket: 1))
    #expect(refuse(&gate, 1, at: .milliseconds(10), pausing: nil) == .wait(ticket: 2))
    #expect(granted(&gate, 1, at: .milliseconds(10)) == [])
    let grants = granted(&gate, 1, at: .milliseconds(20))
    #expect(grants.map(\.ticket) == [1])
    let seat = grants.first?.seat ?? 0
    // The server works again.
    #expect(gate.didConnect(seat: seat, at: start).map(\.ticket) == [2])
  }

  @Test func aClosedGateServesWhoWaitsAndNobodyElse() {
    var gate = PostgresPoolGate(seats: 1)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .wait(ticket: 1))
    gate.close()
    #expect(arrive(&gate) == .refuse)
    #expect(gate.leave(seat: 0, at: start) == [grant(ticket: 1, seat: 0)])
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(gate.isIdle)
  }

  @Test func anyNumberOfConnectionsCanBeAskedFor() {
    var limits = PostgresPool.Limits()
    let numbers = [Int.min, 0, 1, 2, 8, 1_000, Int.max].map { number in
      limits.connections = number
      return limits.seatCount
    }
    #expect(numbers == [2, 2, 2, 2, 8, 1_000, 1_000])
  }
}
