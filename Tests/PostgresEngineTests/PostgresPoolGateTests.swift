import OpenSwiftDataPostgresEngine
import Testing

struct PostgresPoolGateTests {
  let start = ContinuousClock.now

  func arrive(
    _ gate: inout PostgresPoolGate, _ purpose: PostgresPoolGate.Purpose = .write
  ) -> PostgresPoolGate.Admission {
    gate.arrive(purpose, for: "\(purpose)", at: start)
  }

  @Test func writersHaveASeatEachAndTheNextWaitsForTheFirstFree() {
    var gate = PostgresPoolGate(seats: 2)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(gate.uses.count == 2)
    #expect(gate.waiting == ["write"])
    #expect(gate.leave(seat: 1, at: start) == PostgresPoolGate.Grant(ticket: 1, seat: 1))
    #expect(gate.leave(seat: 1, at: start) == nil)
    #expect(gate.leave(seat: 0, at: start) == nil)
    #expect(gate.isIdle)
  }

  @Test func ticketsAreServedInTheirOrderAndCanBeWithdrawn() {
    var gate = PostgresPoolGate(seats: 1)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .wait(ticket: 1))
    #expect(arrive(&gate) == .wait(ticket: 2))
    var isWithdrawn = gate.withdraw(ticket: 1)
    #expect(isWithdrawn)
    #expect(gate.leave(seat: 0, at: start) == PostgresPoolGate.Grant(ticket: 2, seat: 0))
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
    #expect(gate.leave(seat: 1, at: start) == PostgresPoolGate.Grant(ticket: 1, seat: 1))
  }

  @Test func theSeatUsedLastIsUsedNext() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    #expect(gate.leave(seat: 0, at: start) == nil)
    #expect(arrive(&gate) == .enter(seat: 0))
  }

  @Test func seatsWithoutAConnectionAreUsedLast() {
    var gate = PostgresPoolGate(seats: 3)
    for seat in 0..<3 { #expect(arrive(&gate) == .enter(seat: seat)) }
    #expect(gate.leave(seat: 0, at: start) == nil)
    #expect(gate.leave(seat: 1, at: start, isConnected: false) == nil)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
  }

  @Test func aSeatIsExchangedForOneWithAConnection() {
    var gate = PostgresPoolGate(seats: 3)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .enter(seat: 1))
    // The third one has no connection yet.
    #expect(gate.exchange(seat: 1) == nil)
    #expect(gate.leave(seat: 0, at: start) == nil)
    #expect(gate.exchange(seat: 1) == 0)
    #expect(gate.exchange(seat: 0) == nil)
    #expect(gate.uses.count == 1)
    #expect(gate.leave(seat: 0, at: start) == nil)
    #expect(gate.isIdle)
    #expect(arrive(&gate) == .enter(seat: 0))
  }

  @Test func aClosedGateServesWhoWaitsAndNobodyElse() {
    var gate = PostgresPoolGate(seats: 1)
    #expect(arrive(&gate) == .enter(seat: 0))
    #expect(arrive(&gate) == .wait(ticket: 1))
    gate.close()
    #expect(arrive(&gate) == .refuse)
    #expect(gate.leave(seat: 0, at: start) == PostgresPoolGate.Grant(ticket: 1, seat: 0))
    #expect(gate.leave(seat: 0, at: start) == nil)
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
