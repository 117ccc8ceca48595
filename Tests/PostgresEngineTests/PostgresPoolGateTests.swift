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
    pausing: Duration? = .seconds(5), triesAgain: Bool = true
  ) -> PostgresPoolGate.Refusal {
    let (refusal, grants) = gate.refused(
      seat: seat, at: start + time, pausing: pausing, triesAgain: triesAgain)
    #expect(grants == [])
    return refusal
  }

  @Test func aSeatIsExchangedForOneWithAConnection() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    // The third one has no connection yet.
    #expect(refuse(&gate, 1, pausing: nil, triesAgain: false) == .fail)
    #expect(gate.leave(seat: 0, at: start) == [])
    #expect(refuse(&gate, 1, pausing: nil, triesAgain: false) == .exchanged(seat: 0))
    #expect(refuse(&gate, 0, pausing: nil, triesAgain: false) == .fail)
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

  @Test func afterThePauseOneRequestTriesAndTheOthersFollowItsSuccess() {
    var gate = fullGate()
    #expect(arrive(&gate) == .wait(ticket: 2))
    #expect(gate.tryAgain(ticket: 1, at: start + .seconds(4)) == nil)
    #expect(gate.nextTry(at: start) == start + .seconds(5))
    let end = start + .seconds(5)
    let seat = gate.tryAgain(ticket: 1, at: end)
    #expect(seat != nil)
    // While it tries, nobody else does.
    #expect(gate.tryAgain(ticket: 2, at: end) == nil)
    #expect(gate.nextTry(at: end) == end + .seconds(1))
    #expect(refuse(&gate, seat ?? 0, at: .seconds(6)) == .wait(ticket: 3))
    #expect(gate.tryAgain(ticket: 2, at: start + .seconds(10)) == nil)
    let other = gate.tryAgain(ticket: 2, at: start + .seconds(11))
    #expect(other != nil)
    #expect(
      gate.didConnect(seat: other ?? 0, at: start + .seconds(11)).map(\.ticket) == [3])
    #expect(gate.nextTry(at: end) == nil)
  }

  @Test func withoutOtherConnectionsARefusedRequestDoesNotWaitForOne() {
    var gate = PostgresPoolGate(seats: 3)
    func ask(_ thread: UInt) -> PostgresPoolGate.Admission {
      gate.arrive(.read, for: "read", at: start, thread: thread)
    }
    #expect(ask(1) == .enter(seat: 0))
    #expect(gate.didConnect(seat: 0, at: start) == [])
    // The only connection is its own.
    #expect(ask(1) == .enter(seat: 1))
    #expect(refuse(&gate, 1) == .tryAgain(ticket: 1))
    let seat = gate.tryAgain(ticket: 1, at: start)
    #expect(seat != nil)
    #expect(refuse(&gate, seat ?? 0, triesAgain: false) == .fail)
    #expect(gate.leave(seat: seat ?? 0, at: start, isConnected: false) == [])
    // Another thread waits for it.
    #expect(ask(2) == .wait(ticket: 2))
  }

  @Test func whoWaitsForConnectionsThatAreLostTriesToConnect() {
    var gate = fullGate()
    #expect(gate.leave(seat: 0, at: start, isConnected: false) == [])
    let grants = gate.leave(seat: 1, at: start, isConnected: false)
    #expect(grants.map(\.ticket) == [1])
    #expect(refuse(&gate, grants.first?.seat ?? 0, triesAgain: false) == .fail)
  }

  @Test func aRequestThatWillTryAgainTakesOnlyAConnectionBefore() {
    var gate = PostgresPoolGate(seats: 2)
    for seat in 0..<2 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(refuse(&gate, 0, pausing: nil) == .tryAgain(ticket: 1))
    #expect(refuse(&gate, 1, pausing: nil) == .tryAgain(ticket: 2))
    let seat = gate.tryAgain(ticket: 2, at: start) ?? 0
    #expect(gate.didConnect(seat: seat, at: start) == [])
    #expect(gate.leave(seat: seat, at: start) == [grant(ticket: 1, seat: seat)])
    #expect(gate.leave(seat: seat, at: start) == [])
    #expect(gate.isIdle)
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
