import Dispatch
package import Foundation
import Synchronization

/// The connections of one database.
///
/// 1. `read`, `write` or `lease` asks the gate for a seat. A thread that already holds one for writing
///    gets the same connection, without asking (`SeatUses`): a read inside a write sees the uncommitted changes
///    of the write. Another context of the thread reads on another connection. If the thread would wait for
///    itself, that throws.
/// 2. When all seats are held, the thread sleeps until the gate assigns it one, in the order of
///    arrival, at most `waitLimit`. The error then says what the holders do. It wakes every second, for what
///    only time changes in the gate.
/// 3. The holder of a seat is its connection's only user. It opens the connection if there is none, and
///    replaces one that the server has closed.
/// 4. If that fails, it goes on with a free seat that has a connection, or gives the seat back and is the
///    next to get one (`PostgresPool+Refusals.swift`).
/// 5. Leaving a seat rolls back what is open, and passes the seat to the next waiting thread.
///
/// `state` guards the gate and the sleepers; holding a seat guards its connection.
package final class PostgresPool: @unchecked Sendable {
  package struct Limits: Sendable {
    /// The maximum number of connections; used as a number from 2, because a thread may read and
    /// write, to 1,000.
    package var connections = 8
    /// How long a thread waits for a connection that others hold.
    package var waitLimit: Duration = .seconds(30)
    /// How long a server that restarts is tried again. Zero for one that others can replace: a call that it refuses
    /// fails at once.
    package var reconnectLimit: Duration = .seconds(5)
    /// How long the pool does not grow after a refusal of a server that may be full; three times as long as the
    /// refusal took, if that is more.
    package var growthPause: Duration = .seconds(5)
    /// After which time of idleness the server is asked whether the connection works. Whether the
    /// server has closed it is seen at once, and always.
    package var checkAfter: Duration = .seconds(30)

    package init() {}

    package var seatCount: Int { min(max(connections, 2), 1_000) }
  }

  struct State {
    var gate: PostgresPoolGate
    var sleepers: [Int: Sleeper] = [:]
    /// Why the server let in no more connections when it was last asked.
    var refusal: PostgresError?

    /// Hands out seats, under the lock, so that a thread whose wait times out finds either its ticket or its seat.
    /// - Returns: Those who are to be woken without the lock.
    mutating func assign(_ grants: [PostgresPoolGate.Grant]) -> [Sleeper] {
      grants.compactMap { grant in
        let sleeper = sleepers.removeValue(forKey: grant.ticket)
        sleeper?.seat.withLock { $0 = grant.seat }
        return sleeper
      }
    }

    /// What a thread with a ticket does next.
    /// - Parameter end: The end of its wait for others.
    /// - Returns: Also those who are to be woken without the lock.
    mutating func step(
      _ ticket: Int, _ sleeper: Sleeper, until end: ContinuousClock.Instant
    ) -> (Step, woken: [Sleeper]) {
      func assigned() -> Step? { sleeper.seat.withLock { $0.map(Step.enter) } }
      if let step = assigned() { return (step, []) }
      let now = ContinuousClock.now
      let (check, grants) = gate.check(ticket: ticket, at: now)
      let woken = assign(grants)
      if let step = assigned() { return (step, woken) }
      switch check {
      case .tryAgain(let time): return (.sleep(time - now), woken)
      case .wait(let time) where now < end: return (.sleep(min(time, end) - now), woken)
      case .wait:
        _ = gate.withdraw(ticket: ticket)
        sleepers[ticket] = nil
        return (.timeOut(gate, refusal), woken)
      case .giveUp:
        sleepers[ticket] = nil
        return (.giveUp, woken)
      }
    }
  }

  enum Step {
    case enter(seat: Int)
    case sleep(Duration)
    /// The server has refused a connection for too long.
    case giveUp
    /// Others hold the connections for too long.
    case timeOut(PostgresPoolGate, PostgresError?)
  }

  final class Sleeper: Sendable {
    let wake = DispatchSemaphore(value: 0)
    let seat = Mutex<Int?>(nil)
  }

  final class Seat {
    var connection: PostgresConnection?
    var lastUse: ContinuousClock.Instant = .now
  }

  package let parameters: ConnectionParameters
  package let options: ConnectionOptions
  package let limits: Limits
  private let configure: @Sendable (PostgresConnection) throws -> Void
  let state: Mutex<State>
  let seats: [Seat]
  let uses: SeatUses
  private let opened = Mutex(0)

  /// Connects to the database.
  /// - Parameter configure: Runs once on every connection.
  /// - Throws: `PostgresError` if the first connection cannot be opened.
  package init(
    _ parameters: ConnectionParameters, options: ConnectionOptions = ConnectionOptions(),
    limits: Limits = Limits(),
    configure: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
  ) throws {
    self.parameters = parameters
    self.options = options
    self.limits = limits
    self.configure = configure
    state = Mutex(State(gate: PostgresPoolGate(seats: limits.seatCount)))
    seats = (0..<limits.seatCount).map { _ in Seat() }
    uses = SeatUses(count: limits.seatCount)
    try read("opening the database") { _ in }
  }

  /// Whether this thread has a connection of the pool.
  package var isHeldByThread: Bool { uses.isHeldByThread }

  /// Whether this thread has a connection of the pool with which a context may read.
  package func isHeldByThread(for owner: UUID?) -> Bool { uses.isHeldByThread(for: owner) }

  /// The number of connections that were opened since the pool was made.
  package var openedCount: Int { opened.withLock { $0 } }

  /// Lends a connection for reading to `body`.
  /// - Parameters:
  ///   - work: What is done, for the error of threads that wait in vain.
  ///   - owner: The context that reads; `nil` for any of the thread.
  package func read<R>(
    _ work: String = "a read", for owner: UUID? = nil,
    _ body: (PostgresConnection) throws -> R
  ) throws -> R {
    let (seat, connection) = try enter(.read, for: work, owner)
    defer { leave(seat) }
    return try body(connection)
  }

  /// Lends a connection for writing to `body`.
  package func write<R>(
    _ work: String = "a write", for owner: UUID? = nil,
    _ body: (PostgresConnection) throws -> R
  ) throws -> R {
    let (seat, connection) = try enter(.write, for: work, owner)
    defer { leave(seat) }
    return try body(connection)
  }

  /// A connection for writing, lent for longer than one call. The thread that took it owns it.
  package final class Lease {
    package let connection: PostgresConnection
    private let onEnd: () -> Void
    private var isEnded = false

    init(connection: PostgresConnection, onEnd: @escaping () -> Void) {
      self.connection = connection
      self.onEnd = onEnd
    }

    /// Returns the connection; a second call does nothing.
    package func end() {
      guard !isEnded else { return }
      isEnded = true
      onEnd()
    }

    deinit { end() }
  }

  /// - Parameters:
  ///   - owner: The context that writes.
  ///   - limit: How long to wait for another thread; `nil` for the pool's own limit.
  package func lease(
    _ work: String = "a save", for owner: UUID? = nil, within limit: Duration? = nil
  ) throws -> Lease {
    let (seat, connection) = try enter(.write, for: work, owner, within: limit)
    return Lease(connection: connection) { self.leave(seat) }
  }

  /// Waits until all seats are free, and closes their connections; later uses throw.
  package func close() throws {
    if isHeldByThread {
      throw failure(.misuse, "the pool cannot be closed from inside a read or write of it")
    }
    state.withLock { $0.gate.close() }
    while true {
      let isIdle = state.withLock { state in
        // At once, because a pooler may wait for one of them before it serves a connection in use.
        for seat in state.gate.disconnectFree() { seats[seat].connection = nil }
        return state.gate.isIdle
      }
      if isIdle { return }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  // MARK: Seats

  /// A call that needs a seat.
  struct Request {
    let purpose: PostgresPoolGate.Purpose
    let work: String
    let owner: UUID?
    let start: ContinuousClock.Instant
    /// How long it waits for connections that others hold.
    let limit: Duration
    /// How long it has slept; `nil` if it has not.
    var waited: Duration?
    /// Whether a limit has ended its wait.
    var isTimedOut = false
    /// Why the server has refused it a connection.
    var refusal: PostgresError?

    var end: ContinuousClock.Instant { start + .milliseconds(limit.milliseconds) }
  }

  private func enter(
    _ purpose: PostgresPoolGate.Purpose, for work: String, _ owner: UUID?,
    within limit: Duration? = nil
  ) throws -> (seat: Int, connection: PostgresConnection) {
    if let seat = uses.enterAgain(purpose, for: owner) {
      // Inside an outer use of the seat nothing may be replaced: its transaction would be lost.
      if let connection = seats[seat].connection { return (seat, connection) }
      do {
        return (seat, try open(at: seat))
      } catch {
        leave(seat)
        throw error
      }
    }
    var request = Request(
      purpose: purpose, work: work, owner: owner, start: .now, limit: limit ?? limits.waitLimit)
    defer {
      if let duration = request.waited {
        options.tracer?.noteWait(
          PostgresWait(
            isForWriting: purpose == .write, duration: duration, isTimedOut: request.isTimedOut))
      }
    }
    let seat = try firstSeat(&request)
    if let connection = usableConnection(at: seat) { return (seat, connection) }
    return try connect(at: seat, &request)
  }

  private func firstSeat(_ request: inout Request) throws -> Int {
    let (admission, sleeper) = state.withLock { state in
      let admission = state.gate.arrive(
        request.purpose, for: request.work, at: request.start, thread: SeatUses.thread)
      guard case .wait(let ticket) = admission else { return (admission, nil as Sleeper?) }
      let sleeper = Sleeper()
      state.sleepers[ticket] = sleeper
      return (admission, sleeper)
    }
    switch admission {
    case .enter(let seat):
      uses.enter(seat, request.purpose, for: request.owner)
      return seat
    case .refuse: throw failure(.closed, "the pool is closed")
    case .deadlock:
      throw failure(
        .busy,
        "\(request.work) needs a connection, but all \(seats.count) are used by this thread, or by threads that "
          + "wait for another one: end the transactions and snapshots of other contexts of the thread first, "
          + "or allow more connections")
    case .wait(let ticket):
      guard let sleeper else { preconditionFailure("PostgresPool: nobody waits") }
      return try seat(ofTicket: ticket, sleeper, &request)
    }
  }

  /// Waits for the seat of a ticket.
  func seat(ofTicket ticket: Int, _ sleeper: Sleeper, _ request: inout Request) throws -> Int {
    let start = ContinuousClock.now
    defer { request.waited = (request.waited ?? .zero) + (.now - start) }
    while true {
      let (step, woken) = state.withLock { $0.step(ticket, sleeper, until: request.end) }
      for sleeper in woken { sleeper.wake.signal() }
      switch step {
      case .enter(let seat):
        uses.enter(seat, request.purpose, for: request.owner)
        return seat
      case .sleep(let time): _ = sleeper.wake.wait(timeout: .now() + time / .seconds(1))
      case .giveUp:
        request.isTimedOut = true
        throw request.refusal ?? failure(.connection, "no connection can be opened")
      case .timeOut(let gate, let refusal):
        request.isTimedOut = true
        throw busy(gate, request, refusal)
      }
    }
  }

  private func busy(
    _ gate: PostgresPoolGate, _ request: Request, _ refusal: PostgresError?
  ) -> PostgresError {
    let text = PostgresPool.queueText(
      gate, waited: .now - request.start, for: request.work)
    guard let refusal = request.refusal ?? (gate.isComplete ? nil : refusal) else {
      return failure(.busy, text)
    }
    var error = failure(.busy, "\(text). One more was refused: \(refusal.message)")
    let advice = refusal.remedy ?? refusal.advice
    error.remedy = "End the work that holds them sooner. \(advice ?? "")"
    return error
  }

  private static func queueText(
    _ gate: PostgresPoolGate, waited: Duration, for work: String
  ) -> String {
    let now = ContinuousClock.now
    let uses = gate.uses.map { "\($0.work) for \((now - $0.start).milliseconds) ms" }
    let waiting = gate.waiting
    let others = waiting.isEmpty ? "" : "; also waiting: \(waiting.joined(separator: ", "))"
    return
      "\(work) waited \(waited.milliseconds) ms for one of \(gate.seatCount) connections, held by "
      + "\(uses.joined(separator: ", "))\(others)"
  }

  func leave(_ index: Int) {
    guard uses.isOutermost(index) else { return uses.leave(index) }
    let seat = seats[index]
    if let connection = seat.connection {
      connection.rollbackEnclosing()
      connection.rollback()
      if !connection.isKept { seat.connection = nil }
      seat.lastUse = .now
    }
    uses.leave(index)
    let isConnected = seat.connection != nil
    let woken = state.withLock { state in
      state.assign(state.gate.leave(seat: index, at: .now, isConnected: isConnected))
    }
    for sleeper in woken { sleeper.wake.signal() }
  }

  private func failure(_ kind: PostgresError.Kind, _ message: String) -> PostgresError {
    PostgresError(kind, message).with(sql: nil, database: parameters.description)
  }

  // MARK: Connections

  /// The connection of a seat, without those that the server has closed.
  func usableConnection(at index: Int) -> PostgresConnection? {
    let seat = seats[index]
    guard let connection = seat.connection else { return nil }
    if isUsable(connection, idleSince: seat.lastUse) { return connection }
    seat.connection = nil
    return nil
  }

  /// Opens the connection of a seat.
  func open(at index: Int) throws -> PostgresConnection {
    let connection = try newConnection()
    seats[index].connection = connection
    let woken = state.withLock { state in
      let grants = state.gate.didConnect(seat: index, at: .now)
      if state.gate.mayGrow { state.refusal = nil }
      return state.assign(grants)
    }
    for sleeper in woken { sleeper.wake.signal() }
    return connection
  }

  private func isUsable(
    _ connection: PostgresConnection, idleSince lastUse: ContinuousClock.Instant
  ) -> Bool {
    guard connection.isAlive else { return false }
    if ContinuousClock.now - lastUse < limits.checkAfter { return true }
    return (try? ExchangeCount.pausing { try connection.ping(within: .seconds(2)) }) != nil
  }

  private func newConnection() throws -> PostgresConnection {
    let connection = try PostgresConnection(parameters, options: options)
    try connection.requireServer()
    try configure(connection)
    connection.findOutcome = { [parameters, options, limits] transaction in
      CommitOutcome(parameters, options).find(transaction, within: limits.reconnectLimit)
    }
    opened.withLock { $0 += 1 }
    return connection
  }
}
