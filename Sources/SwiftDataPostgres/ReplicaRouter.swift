import Dispatch
import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Lends connections to the standbys of a store, as `ReplicaRouting` decides.
///
/// Connections to standbys are opened on a queue of their own, also again after a loss, so that an unreachable
/// server delays no read. A check runs under `checking`; threads that need its result wait for it, at most
/// `patience` unless a server does not answer: then, once, at most `answerWithin`.
final class ReplicaRouter: Sendable {
  /// How long a read waits until the standby has replayed what it must include.
  static let patience = Duration.milliseconds(50)
  private static let step = 0.002
  private static let answerWithin = Duration.seconds(2)

  private struct State {
    var routing: ReplicaRouting
    var pools: [PostgresPool?]
    /// Pools whose server was lost, as long as threads use them.
    var lostPools: [LostPool] = []
    var opening: Set<Int> = []
    /// How many reads were sent to standbys.
    var readCount = 0
    /// Whether no connection may be opened or lent any more.
    var isClosed = false

    /// All that threads may use.
    var usedPools: [PostgresPool] {
      pools.compactMap(\.self) + lostPools.compactMap(\.pool)
    }

    mutating func route(now: Duration) -> ReplicaRouting.Route {
      isClosed ? .primary : routing.route(now: now)
    }
  }

  private struct LostPool {
    weak var pool: PostgresPool?
  }

  /// Where a read runs.
  enum Choice {
    case standby(Int, PostgresPool)
    case primary
  }

  private let addresses: [ConnectionParameters]
  private let options: ConnectionOptions
  private let limits: PostgresPool.Limits
  private let storeIdentifier: String
  private let primary: PostgresPool
  /// The statement for the number of the last transaction, the start of a primary server, and the description of
  /// the store.
  private let endStatement: String
  private let state: Mutex<State>
  private let checking = Mutex(())
  /// Concurrent: a standby that does not answer delays no other one.
  private let queue = DispatchQueue(
    label: "SwiftData PostgreSQL standbys", attributes: .concurrent)
  private let start = ContinuousClock.now

  init(
    _ configuration: PostgresConfiguration, storeIdentifier: String, primary: PostgresPool,
    lastNumber: String
  ) {
    addresses = configuration.standbys
    var options = configuration.options
    options.connectTimeout = .seconds(2)
    self.options = options
    var limits = primary.limits
    // A standby that is down is not waited for.
    limits.reconnectLimit = .zero
    self.limits = limits
    self.storeIdentifier = storeIdentifier
    self.primary = primary
    endStatement = """
      SELECT (\(lastNumber)), CASE WHEN NOT pg_is_in_recovery() \
      THEN (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint END, \
      (\(PostgresSchemaMonitor.descriptionStatement))
      """
    state = Mutex(
      State(
        routing: ReplicaRouting(
          count: addresses.count, first: Int.random(in: 0..<max(addresses.count, 1))),
        pools: Array(repeating: nil, count: addresses.count)))
  }

  /// How many connections reads can have at most.
  var connectionCount: Int { addresses.count * limits.seatCount }

  private var now: Duration { ContinuousClock.now - start }

  /// Closes the connections to the standbys; later reads throw or run on the primary server.
  func close() throws {
    let pools = state.withLock { state in
      state.isClosed = true
      return state.usedPools
    }
    for pool in pools { try pool.close() }
  }

  // MARK: Choosing

  /// The standby whose connection this thread has, inside a read of several statements.
  /// - Parameter reader: The context that reads; `nil` for any of the thread.
  func held(for reader: UUID? = nil) -> PostgresPool? {
    state.withLock { $0.usedPools }.first { $0.isHeldByThread(for: reader) }
  }

  /// Chooses a server, and asks the servers first if that is needed.
  func choose() -> Choice {
    if let choice = chooseAtOnce() { return choice }
    return checking.withLock { _ in
      while true {
        // Another thread may have checked meanwhile.
        let (route, pools) = state.withLock { ($0.route(now: now), $0.pools) }
        switch route {
        case .primary: return .primary
        case .standby(let index):
          if let pool = pools[index] {
            state.withLock { $0.readCount += 1 }
            return .standby(index, pool)
          }
          fail(index, of: nil, because: nil)
        case .check(let check):
          guard let pool = pools[check.standby] else {
            open(check.standby)
            // Not a failure: the standby is connected soon, or fails then.
            state.withLock { $0.routing.includePrimary() }
            return .primary
          }
          do {
            if try passes(check, pool) { continue }
            fail(check.standby, of: pool, because: nil)
          } catch {
            fail(check.standby, of: pool, because: error)
          }
        }
      }
    }
  }

  /// `nil` if a server must be asked first.
  private func chooseAtOnce() -> Choice? {
    state.withLock { state in
      switch state.route(now: now) {
      case .primary: .primary
      case .standby(let index):
        state.pools[index].map { pool in
          state.readCount += 1
          return .standby(index, pool)
        }
      case .check: nil
      }
    }
  }

  /// Asks both servers, and waits until the standby has what reads must include.
  private func passes(_ check: ReplicaRouting.Check, _ pool: PostgresPool) throws -> Bool {
    var floor = check.floor
    // Asked once: a server that is down answers late.
    lazy var primaryEnd = try? end(in: primary)
    // While the primary is down, the standby must have what is known to be committed.
    if check.asksPrimary, let number = primaryEnd?.number {
      floor = state.withLock { $0.routing.primaryAnswered(number, check) }
    }
    let deadline = Deadline(after: ReplicaRouter.patience)
    while true {
      let (replayed, started, description) = try end(in: pool)
      // While the primary is down, a promoted standby may be all that is left.
      if let started, let own = primaryEnd?.started, own != started {
        throw PostgresError(
          .misuse, "it is no standby: it was promoted, or never followed another server")
      }
      // A migration need not write history.
      let isSameVersion =
        !check.asksPrimary || primaryEnd.map { $0.description == description } ?? true
      if replayed >= floor, isSameVersion {
        let recovers = state.withLock { state in
          defer { state.routing.standbyAnswered(replayed, check) }
          return state.routing.isDegraded
        }
        if recovers { WarningLog.write("reads use \(addresses[check.standby]) again") }
        return true
      }
      if deadline.isPast {
        // A number that the primary never gave, such as that of a forged token, is no failure.
        guard !check.asksPrimary, let number = primaryEnd?.number, number < floor else {
          return false
        }
        floor = state.withLock { $0.routing.primaryAnswered(number, check) }
        if replayed >= floor { continue }
        return false
      }
      Thread.sleep(forTimeInterval: ReplicaRouter.step)
    }
  }

  /// The end of the history of a server, when the server began, and the identifier of the store with the hash
  /// of its description.
  /// The second is `nil` for a standby. A name that leads to the primary server is no mistake.
  private func end(
    in pool: PostgresPool
  ) throws -> (number: Int64, started: Int64?, description: String?) {
    try pool.read("the end of the history") { connection in
      try connection.prepare(endStatement).rows(within: ReplicaRouter.answerWithin) { rows in
        guard try rows.next() else { return (0, nil, nil) }
        return (try rows.integer(0) ?? 0, try rows.integer(1), try rows.text(2))
      }
    }
  }

  var readCount: Int { state.withLock { $0.readCount } }

  // MARK: Events

  /// Later reads include the transaction, or what the primary has now if the number is not known.
  func include(_ number: Int64?) {
    state.withLock { state in
      if let number { state.routing.include(number) } else { state.routing.includePrimary() }
    }
  }

  /// Another server answers until the standby works again. Writes a line after the first failure.
  /// - Parameters:
  ///   - pool: The connections that were used; `nil` without any. If the server was lost, new ones are opened for
  ///     the next attempt, without a read that waits for it.
  ///   - error: `nil` if the standby only lags.
  func fail(_ standby: Int, of pool: PostgresPool?, because error: (any Error)?) {
    let failure = error as? PostgresError
    let isLost = failure.map { $0.isLossOfStandby && $0.kind != .busy } ?? false
    let isLocked = failure?.state == .lockNotAvailable
    let isFirst = state.withLock { state in
      // Other connections have replaced these since the thread began to use them.
      if let pool, state.pools[standby] !== pool { return false }
      if isLost, let pool {
        state.pools[standby] = nil
        state.lostPools.removeAll { $0.pool == nil }
        state.lostPools.append(LostPool(pool: pool))
      }
      return !state.isClosed
        && state.routing.standbyFailed(standby, now: now, isLocked: isLocked)
    }
    guard isFirst else { return }
    let reason =
      error.map { "can't be read: \($0)" }
      ?? "has not replayed what was read, saved or migrated before, within \(ReplicaRouter.patience)"
    WarningLog.write("\(addresses[standby]) \(reason). Another server is read meanwhile")
  }

  // MARK: Connections

  /// Connects to all standbys, without waiting for them.
  func open() {
    for index in addresses.indices { open(index) }
  }

  private func open(_ index: Int) {
    let isFirst = state.withLock { !$0.isClosed && $0.opening.insert(index).inserted }
    guard isFirst else { return }
    queue.async { [weak self] in
      guard let self else { return }
      do {
        let pool = try PostgresPool(addresses[index], options: options, limits: limits) {
          // A read whose begin fails is repeated on another server.
          $0.defersSnapshots = false
        }
        try requireSameStore(pool)
        // A pool that was opened during the end of the store is released, with its connection.
        state.withLock { if !$0.isClosed { $0.pools[index] = pool } }
      } catch {
        fail(index, of: nil, because: error)
      }
      state.withLock { _ = $0.opening.remove(index) }
    }
  }

  private func requireSameStore(_ pool: PostgresPool) throws {
    let found = try pool.read("opening a standby") {
      try $0.prepare("SELECT \"Z_UUID\" FROM \"Z_METADATA\"").values()
    }
    guard found.first?.first == .text(storeIdentifier) else {
      throw PostgresError(.misuse, "it contains another store than the primary server")
    }
  }
}
