import Dispatch
package import Foundation
import Synchronization

/// The connections of one store: one writer, and readers that run during a write.
///
/// 1. `read` or `write` asks the gate for a seat. A thread that already holds a seat keeps its
///    connection: a read inside a write sees the uncommitted changes of the write. Another context of
///    the thread reads on another connection. If there is only one, its reads throw
///    `UncommittedChanges` while there are any.
/// 2. When all suitable seats are taken, the thread sleeps until the gate assigns it one, in the
///    order of arrival. It waits at most `seatTimeout`, so threads that wait for each other get an
///    error.
/// 3. The holder of a seat is its connection's only user; the first holder opens the connection.
/// 4. Leaving a seat passes it to the next waiting thread.
///
/// A store in memory has one connection for reads and writes, and so has a file without readers. A
/// read-only store has no writer. `state` guards the gate and the sleepers; holding a seat guards
/// its connection.
///
/// A file that can't be locked is compared after each read (`UnlockedFile`), and before one that can't be repeated later.
/// If another process has written it, the connection is opened again, and the read is repeated or throws.
package final class ConnectionPool: @unchecked Sendable {
  package let path: String
  package let mode: OpenMode

  private struct State {
    var gate: PoolGate
    var sleepers: [Int: Sleeper] = [:]
  }

  private final class Sleeper: Sendable {
    let wake = DispatchSemaphore(value: 0)
    let seat = Mutex<Int?>(nil)
  }

  private final class Seat {
    var connection: Connection?
    /// The context that writes, and the number of changes before; `nil` if none is known.
    var writing: (owner: UUID, changes: Int64)?
    /// The file before a connection without locks was opened.
    var file: UnlockedFile?
    var isReading = false
    var isChanged: Bool { file?.isChanged ?? false }
  }

  private let state: Mutex<State>
  private let seats: [Seat]
  private let busyTimeout: Duration
  private let seatTimeout: Duration
  private let keepsRollbackJournal: Bool
  private let temporaryStorage: TemporaryStorage
  private let onWait: (@Sendable (PoolWait) -> Void)?
  private let tuning: ConnectionTuning
  private let configure: @Sendable (Connection) throws -> Void
  let watch = SchemaChangeDetector()
  /// The files that a read-only pool found at first; `nil` for other pools.
  private let reading: ReadOnlyClosing?

  /// How long a thread waits for other threads of its process. Longer than the wait for other
  /// processes, because a migration or an import in this process may hold the writer for a while.
  @TaskLocal package static var defaultSeatTimeout: Duration = .seconds(60)

  /// Opens the store.
  /// - Parameters:
  ///   - readers: The number of connections for reading besides the writer; 0 for one connection in
  ///     total.
  ///   - keepsRollbackJournal: Whether a file with a rollback journal is not switched to WAL mode.
  ///   - onWait: Called after each wait of a thread for another one, on that thread.
  ///   - configure: Runs once on every connection, to register functions and collations.
  package init(
    path: String, mode: OpenMode, readers: Int = 3,
    busyTimeout: Duration = Connection.defaultBusyTimeout,
    seatTimeout: Duration = ConnectionPool.defaultSeatTimeout,
    keepsRollbackJournal: Bool = false, temporaryStorage: TemporaryStorage = .memory,
    tuning: ConnectionTuning = ConnectionTuning(),
    onWait: (@Sendable (PoolWait) -> Void)? = nil,
    configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) throws {
    self.path = path
    self.mode = mode
    self.busyTimeout = busyTimeout
    self.seatTimeout = seatTimeout
    self.keepsRollbackJournal = keepsRollbackJournal
    self.temporaryStorage = temporaryStorage
    self.onWait = onWait
    self.tuning = tuning
    self.configure = configure
    reading = mode == .readOnly ? ReadOnlyClosing(try DatabaseFile(at: path)) : nil
    let gate = PoolGate(
      hasWriter: mode.isWritable,
      readers: mode.isInMemory ? 0 : max(readers, mode.isWritable ? 0 : 1))
    seats = (0..<gate.readerSeats.upperBound).map { _ in Seat() }
    state = Mutex(State(gate: gate))
    // Opens the first connection here, so that a bad path fails now.
    if mode.isWritable { try write { _ in } } else { try read { _ in } }
  }

  /// Lends a connection for reading to `body`.
  /// - Parameters:
  ///   - owner: The context that reads; `nil` for any context of the thread.
  ///   - comparesBefore: Whether a file that can't be locked is compared before `body` runs, too.
  ///   - canRepeat: Whether `body` may run again if another process has written that file.
  /// - Throws: `UncommittedChanges` if the only connection has changes of another context.
  package func read<R>(
    for owner: UUID? = nil, comparesBefore: Bool = true, canRepeat: () -> Bool = { false },
    _ body: (Connection) throws -> R
  ) throws -> R {
    let seat = try enter(.read, for: owner)
    defer { leave(seat) }
    guard reading?.access != .immutable else {
      return try readUnlocked(seat, comparesBefore, canRepeat, body)
    }
    return try use(seat) { connection in
      if let writing = seats[seat].writing, let owner, owner != writing.owner,
        connection.totalChanges != writing.changes
      {
        throw UncommittedChanges()
      }
      let result = try body(connection)
      try connection.checkSchemaAfterReading()
      return result
    }
  }

  /// Reads a file that could not be locked when the store was opened.
  private func readUnlocked<R>(
    _ index: Int, _ comparesBefore: Bool, _ canRepeat: () -> Bool,
    _ body: (Connection) throws -> R
  ) throws -> R {
    let seat = seats[index]
    var hasBegun = false
    func attempt() -> Result<R, any Error> {
      Result {
        try use(index) { connection in
          hasBegun = true
          let result = try body(connection)
          try connection.checkSchemaAfterReading()
          return result
        }
      }
    }
    if seat.isReading {
      // The enclosing read uses the connection.
      let result = attempt()
      if seat.isChanged { throw UnlockedFile.changed(path) }
      return try result.get()
    }
    seat.isReading = true
    defer { seat.isReading = false }
    // A map of a file that has become smaller must not be read.
    if comparesBefore || tuning.memoryMapSize > 0, seat.isChanged { seat.connection = nil }
    var last: any Error = UnlockedFile.changed(path)
    for pause in UnlockedFile.pauses {
      if pause > 0 {
        Thread.sleep(forTimeInterval: pause)
        if seat.isChanged { seat.connection = nil }
      }
      let result = attempt()
      if case .failure(let error as SQLiteError) = result, seat.connection == nil, seat.file == nil
      {
        // The last process that has used the log may have removed it.
        last = error
        continue
      }
      guard seat.isChanged else { return try result.get() }
      seat.connection = nil
      last = UnlockedFile.changed(path)
      if hasBegun, !canRepeat() { break }
    }
    throw last
  }

  /// Lends the writing connection to `body`.
  /// - Parameter owner: The context that writes.
  package func write<R>(for owner: UUID? = nil, _ body: (Connection) throws -> R) throws -> R {
    let seat = try enterForWriting(for: owner)
    defer { leave(seat) }
    return try use(seat) { connection in
      let isFirst = noteWriting(at: seat, on: connection, for: owner)
      defer { if isFirst { forgetWriting(at: seat) } }
      return try body(connection)
    }
  }

  /// Called by the holder of the writer's seat.
  /// - Returns: Whether it is the first write, at whose end `forgetWriting` must be called.
  func noteWriting(at seat: Int, on connection: Connection, for owner: UUID?) -> Bool {
    guard let owner, seats[seat].writing == nil else { return false }
    seats[seat].writing = (owner, connection.totalChanges)
    return true
  }

  func forgetWriting(at seat: Int) { seats[seat].writing = nil }

  /// A function of its own, so that nobody retains the connection when the seat is left: whoever
  /// closes the pool then releases the last reference.
  @inline(never)
  private func use<R>(_ seat: Int, _ body: (Connection) throws -> R) throws -> R {
    try body(connection(at: seat))
  }

  /// Whether this thread has a connection of the pool.
  package var isHeldByThread: Bool {
    let thread = ObjectIdentifier(Thread.current)
    return state.withLock { $0.gate.isHolding(thread) }
  }

  /// Whether readers share the only connection with the writer.
  package var hasOneConnection: Bool { mode.isWritable && seats.count == 1 }

  /// How many threads can read at the same time: besides the writer, if there are several connections.
  package var readerCount: Int { max(seats.count - (mode.isWritable ? 1 : 0), 1) }

  /// - Parameter limit: How long to wait; `nil` for the pool's own limit.
  func enterForWriting(for owner: UUID?, within limit: Duration? = nil) throws -> Int {
    guard mode.isWritable else {
      throw SQLiteError(.readOnly, message: "the store was opened read-only", path: path)
    }
    return try enter(.write, for: owner, within: limit)
  }

  /// Waits until all seats are free, writes the log back, and closes all connections; later uses throw.
  /// - Throws: `SQLiteError` if the log can't be written back. The connections stay open then, as on a full
  ///   disk, and another call tries again; but not if the log was deleted.
  package func close() throws {
    let thread = ObjectIdentifier(Thread.current)
    let isInside = state.withLock { state in
      if !state.gate.isHolding(thread) { state.gate.close() }
      return state.gate.isHolding(thread)
    }
    if isInside {
      throw SQLiteError(
        .misuse, message: "the store cannot be closed from inside a read or write of it", path: path
      )
    }
    while !state.withLock({ $0.gate.isIdle }) { Thread.sleep(forTimeInterval: 0.001) }
    do {
      if mode.isWritable { try seats.first?.connection?.writeLogBack() }
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.movedFile {
      closeConnections()
      throw error
    }
    closeConnections()
  }

  deinit { closeConnections() }

  private func closeConnections() {
    var connections = seats.compactMap(\.connection)
    for seat in seats { seat.connection = nil }
    if !connections.isEmpty { reading?.close(&connections) }
  }

  func connection(at index: Int) throws -> Connection {
    let seat = seats[index]
    if let connection = seat.connection { return connection }
    let isReader = mode.isWritable && index != 0
    var access = reading?.access
    if access == .immutable {
      let file = UnlockedFile(at: path)
      // Others may use the file by now, and have made what is needed to lock it.
      access = try DatabaseFile(at: path).readAccess == .immutable ? .immutable : .plain
      seat.file = access == .immutable ? file : nil
    }
    let connection = try Connection(
      path: path, mode: isReader ? .readWrite : mode, access: access,
      busyTimeout: busyTimeout, keepsRollbackJournal: keepsRollbackJournal,
      temporaryStorage: temporaryStorage, tuning: tuning)
    try configure(connection)
    connection.watch = watch
    // Another file may be at the path by now. Writing compares the files.
    if !mode.isWritable { try watch.identify(connection) }
    try watch.run(connection)
    // A reader of a writable store may have to recover the log, so it is opened for writing.
    if isReader { try connection.execute("PRAGMA query_only = ON") }
    seat.connection = connection
    return connection
  }

  private func enter(
    _ purpose: PoolGate.Purpose, for owner: UUID?, within limit: Duration? = nil
  ) throws -> Int {
    let thread = ObjectIdentifier(Thread.current)
    let (admission, sleeper) = state.withLock { state in
      let admission = state.gate.arrive(purpose, holder: thread, for: owner)
      guard case .wait(let ticket) = admission else { return (admission, nil as Sleeper?) }
      let sleeper = Sleeper()
      state.sleepers[ticket] = sleeper
      return (admission, sleeper)
    }
    switch admission {
    case .enter(let seat): return seat
    case .refuse:
      var error = SQLiteError(.misuse, message: "the store is closed", path: path)
      error.isClosedPool = true
      throw error
    case .deadlock:
      throw SQLiteError(
        .busy,
        message: "all connections are used by this thread, or by threads that wait for it",
        path: path
      ).advising("End the transactions and snapshots of other contexts of the thread first.")
    case .wait(let ticket):
      let longest = limit ?? seatTimeout
      let deadline = DispatchTime.now() + .milliseconds(Int(longest.milliseconds))
      let begin = onWait == nil || limit == .zero ? nil : ContinuousClock.now
      if sleeper?.wake.wait(timeout: deadline) == .timedOut,
        state.withLock({ state in
          state.sleepers[ticket] = nil
          return state.gate.withdraw(ticket: ticket)
        })
      {
        note(waitFor: purpose, since: begin, isTimedOut: true)
        let error = SQLiteError(
          .busy,
          message:
            "another thread of this process did not finish its \(purpose == .write ? "write" : "reads") "
            + "within \(longest)", path: path)
        throw limit == nil ? error : error.advising(SQLiteError.limitedWaitAdvice)
      }
      note(waitFor: purpose, since: begin, isTimedOut: false)
    }
    guard let seat = sleeper?.seat.withLock({ $0 }) else {
      preconditionFailure("ConnectionPool: woken without a seat")
    }
    return seat
  }

  private func note(
    waitFor purpose: PoolGate.Purpose, since begin: ContinuousClock.Instant?, isTimedOut: Bool
  ) {
    guard let begin, let onWait else { return }
    onWait(
      PoolWait(isForWriting: purpose == .write, duration: .now - begin, isTimedOut: isTimedOut))
  }

  func leave(_ seat: Int) {
    // Under the lock, so that a thread whose wait times out finds either its ticket or its seat.
    let sleeper = state.withLock { state -> Sleeper? in
      guard let grant = state.gate.leave(seat: seat) else { return nil }
      let sleeper = state.sleepers.removeValue(forKey: grant.ticket)
      sleeper?.seat.withLock { $0 = grant.seat }
      return sleeper
    }
    sleeper?.wake.signal()
  }
}
