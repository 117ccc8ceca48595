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
///    arrival, at most `waitLimit`. The error then says what the holders do.
/// 3. The holder of a seat is its connection's only user. It opens the connection if there is none, and
///    replaces one that the server has closed. If that fails, it goes on with a free seat that has a connection.
/// 4. Leaving a seat rolls back what is open, and passes the seat to the next waiting thread.
///
/// `state` guards the gate and the sleepers; holding a seat guards its connection.
package final class PostgresPool: @unchecked Sendable {
  package struct Limits: Sendable {
    /// The maximum number of connections; used as a number from 2, because a thread may read and
    /// write, to 1,000.
    package var connections = 8
    /// How long a thread waits for a connection that others hold.
    package var waitLimit: Duration = .seconds(30)
    /// How long a server that restarts is tried again.
    package var reconnectLimit: Duration = .seconds(5)
    /// After which time of idleness the server is asked whether the connection works. Whether the
    /// server has closed it is seen at once, and always.
    package var checkAfter: Duration = .seconds(30)

    package init() {}

    package var seatCount: Int { min(max(connections, 2), 1_000) }
  }

  private struct State {
    var gate: PostgresPoolGate
    var sleepers: [Int: Sleeper] = [:]
  }

  private final class Sleeper: Sendable {
    let wake = DispatchSemaphore(value: 0)
    let seat = Mutex<Int?>(nil)
  }

  private final class Seat {
    var connection: PostgresConnection?
    var lastUse: ContinuousClock.Instant = .now
  }

  package let parameters: ConnectionParameters
  package let options: ConnectionOptions
  package let limits: Limits
  private let configure: @Sendable (PostgresConnection) throws -> Void
  private let state: Mutex<State>
  private let seats: [Seat]
  private let uses: SeatUses
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
    var seat = try enter(.read, for: work, owner)
    defer { leave(seat) }
    return try body(connection(at: &seat))
  }

  /// Lends a connection for writing to `body`.
  package func write<R>(
    _ work: String = "a write", for owner: UUID? = nil,
    _ body: (PostgresConnection) throws -> R
  ) throws -> R {
    var seat = try enter(.write, for: work, owner)
    defer { leave(seat) }
    return try body(connection(at: &seat))
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
    var seat = try enter(.write, for: work, owner, within: limit)
    do {
      let connection = try connection(at: &seat)
      return Lease(connection: connection) { [seat] in self.leave(seat) }
    } catch {
      leave(seat)
      throw error
    }
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

  private func enter(
    _ purpose: PostgresPoolGate.Purpose, for work: String, _ owner: UUID?,
    within limit: Duration? = nil
  ) throws -> Int {
    if let seat = uses.enterAgain(purpose, for: owner) { return seat }
    let (admission, sleeper) = state.withLock { state in
      let admission = state.gate.arrive(
        purpose, for: work, at: .now, thread: SeatUses.thread)
      guard case .wait(let ticket) = admission else { return (admission, nil as Sleeper?) }
      let sleeper = Sleeper()
      state.sleepers[ticket] = sleeper
      return (admission, sleeper)
    }
    switch admission {
    case .enter(let seat):
      uses.enter(seat, purpose, for: owner)
      return seat
    case .refuse: throw failure(.closed, "the pool is closed")
    case .deadlock:
      throw failure(
        .busy,
        "\(work) needs a connection, but all \(seats.count) are used by this thread, or by threads that "
          + "wait for another one: end the transactions and snapshots of other contexts of the thread first, "
          + "or allow more connections")
    case .wait(let ticket):
      let start = ContinuousClock.now
      func note(isTimedOut: Bool) {
        options.tracer?.noteWait(
          PostgresWait(
            isForWriting: purpose == .write, duration: .now - start, isTimedOut: isTimedOut))
      }
      let limit = limit ?? limits.waitLimit
      let deadline = DispatchTime.now() + .milliseconds(Int(limit.milliseconds))
      if sleeper?.wake.wait(timeout: deadline) == .timedOut,
        let gate = state.withLock({ state -> PostgresPoolGate? in
          state.sleepers[ticket] = nil
          return state.gate.withdraw(ticket: ticket) ? state.gate : nil
        })
      {
        note(isTimedOut: true)
        throw failure(.busy, PostgresPool.queueText(gate, waited: limit, for: work))
      }
      note(isTimedOut: false)
    }
    guard let seat = sleeper?.seat.withLock({ $0 }) else {
      preconditionFailure("PostgresPool: woken without a seat")
    }
    uses.enter(seat, purpose, for: owner)
    return seat
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

  private func leave(_ index: Int) {
    guard uses.isOutermost(index) else { return uses.leave(index) }
    let seat = seats[index]
    if let connection = seat.connection {
      connection.rollbackEnclosing()
      connection.rollback()
      if !connection.isKept { seat.connection = nil }
      seat.lastUse = .now
    }
    uses.leave(index)
    // Under the lock, so that a thread whose wait times out finds either its ticket or its seat.
    let sleeper = state.withLock { state -> Sleeper? in
      let isConnected = seat.connection != nil
      guard let grant = state.gate.leave(seat: index, at: .now, isConnected: isConnected) else {
        return nil
      }
      let sleeper = state.sleepers.removeValue(forKey: grant.ticket)
      sleeper?.seat.withLock { $0 = grant.seat }
      return sleeper
    }
    sleeper?.wake.signal()
  }

  private func failure(_ kind: PostgresError.Kind, _ message: String) -> PostgresError {
    PostgresError(kind, message).with(sql: nil, database: parameters.description)
  }

  // MARK: Connections

  /// The connection of a seat. A server that is restarting is tried again for some time.
  /// - Parameter index: The seat; another one, which has a connection, if none can be opened.
  private func connection(at index: inout Int) throws -> PostgresConnection {
    let seat = seats[index]
    if let connection = seat.connection {
      // Inside an outer use of the seat nothing may be replaced: its transaction would be lost.
      if !uses.isOutermost(index) { return connection }
      if isUsable(connection, idleSince: seat.lastUse) { return connection }
      seat.connection = nil
    }
    let deadline = Deadline(after: limits.reconnectLimit)
    let mayWait = openedCount > 0
    var pause = 0.02
    while true {
      do {
        let connection = try newConnection()
        seats[index].connection = connection
        return connection
      } catch let error as PostgresError {
        if let connection = idleConnection(insteadOf: &index) { return connection }
        guard error.repetition == .onNewConnection, !deadline.isPast,
          mayWait || error.state == .cannotConnectNow
        else { throw error }
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 0.5)
      }
    }
  }

  /// The connection of a free seat, for a seat whose connection can't be opened.
  /// - Parameter index: The seat, which is exchanged.
  /// - Returns: `nil` if no connection is idle.
  private func idleConnection(insteadOf index: inout Int) -> PostgresConnection? {
    // If the network is lost, none of them answers.
    let deadline = Deadline(after: limits.reconnectLimit)
    while !deadline.isPast {
      let seat = index
      let other = state.withLock { state -> Int? in
        guard let other = state.gate.exchange(seat: seat) else { return nil }
        // Before another thread gets the seat.
        uses.move(from: seat, to: other)
        return other
      }
      guard let other else { return nil }
      index = other
      if let connection = seats[other].connection,
        isUsable(connection, idleSince: seats[other].lastUse)
      {
        return connection
      }
      seats[other].connection = nil
    }
    return nil
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
