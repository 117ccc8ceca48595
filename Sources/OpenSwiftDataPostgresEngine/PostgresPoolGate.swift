/// Assigns the connections of a pool to holders; a pure state machine without threads, locks or
/// clocks.
///
/// Every seat has one holder at a time. A request that finds no free seat gets a ticket; free seats go to
/// tickets in their order, so no request waits forever.
///
/// A server may let in fewer connections than there are seats. A request that it has refused gets a ticket before
/// all others, if holders have connections to give back. Then the gate does not grow: for some time, requests
/// wait for these connections and do not ask the server for more. After that one of them tries again, alone. If it
/// succeeds, the gate grows as before.
package struct PostgresPoolGate {
  package enum Purpose: Sendable { case read, write }

  package enum Admission: Equatable {
    /// The caller holds the seat now.
    case enter(seat: Int)
    /// The caller must wait until `leave` grants its ticket.
    case wait(ticket: Int)
    /// The pool is closed.
    case refuse
    /// All seats are held by this thread, or by threads that wait too.
    case deadlock
  }

  /// What becomes of a request whose seat gets no connection.
  package enum Refusal: Equatable {
    /// The caller holds this seat now, which has a connection.
    case exchanged(seat: Int)
    /// The seat is free. The caller waits for a connection that others hold.
    case wait(ticket: Int)
    /// The seat is free. The caller waits too, and soon tries to connect again.
    case tryAgain(ticket: Int)
    /// Nothing can help. The caller still holds its seat.
    case fail
  }

  /// A seat that was assigned to a waiting ticket.
  package struct Grant: Equatable {
    package let ticket: Int
    package let seat: Int

    package init(ticket: Int, seat: Int) {
      self.ticket = ticket
      self.seat = seat
    }
  }

  /// The use of a seat, for the error of those who wait in vain.
  package struct Use: Equatable, Sendable {
    package let purpose: Purpose
    package let work: String
    package let start: ContinuousClock.Instant
    /// The thread that has the seat; 0 if that is not known.
    var thread: UInt = 0
  }

  private struct Waiter {
    let ticket: Int
    let purpose: Purpose
    let work: String
    let thread: UInt
    /// Whether a connection was refused to it, so that it is before those which only wait.
    var isRefused = false
    /// Whether it takes a seat without a connection only if it asks for one (`tryAgain`).
    var needsConnection = false
  }

  /// By seat; `nil` for free ones.
  private var holdings: [Use?]
  /// By seat, whether it had a connection when this was last told.
  private var isConnected: [Bool]
  private var queue: [Waiter] = []
  /// Free seats: first those without a connection, then the others, of which the last one was used last.
  private var free: [Int]
  /// The number of free seats without a connection.
  private var unconnected: Int
  /// Until when the gate does not grow; `nil` if it may.
  private var pause: ContinuousClock.Instant?
  /// The seat that was the last to be used without a connection although the gate does not grow.
  private var probe: Int?
  private var nextTicket = 0
  package private(set) var isClosed = false

  package init(seats: Int) {
    precondition(seats > 0, "PostgresPoolGate: a pool needs at least one seat")
    holdings = Array(repeating: nil, count: seats)
    free = Array((0..<seats).reversed())
    unconnected = seats
    isConnected = Array(repeating: false, count: seats)
  }

  /// Whether nobody has a seat or waits for one.
  package var isIdle: Bool { free.count == holdings.count && queue.isEmpty }

  package var seatCount: Int { holdings.count }

  /// The uses of the seats that are held.
  package var uses: [Use] { holdings.compactMap(\.self) }

  /// What waiting requests want to do.
  package var waiting: [String] { queue.map(\.work) }

  /// Requests a seat.
  /// - Parameters:
  ///   - now: The time at which the seat is used from, if it is free.
  ///   - thread: The thread that asks. It may have another seat.
  package mutating func arrive(
    _ purpose: Purpose, for work: String, at now: ContinuousClock.Instant, thread: UInt = 0
  ) -> Admission {
    defer { _invariantCheck() }
    let isHolding = thread != 0 && holdings.contains { $0?.thread == thread }
    if isClosed, !isHolding { return .refuse }
    if let seat = takeFree(at: now, for: thread) {
      holdings[seat] = Use(purpose: purpose, work: work, start: now, thread: thread)
      return .enter(seat: seat)
    }
    if isHolding {
      let waiting = Set(queue.map(\.thread)).union([thread])
      if holdings.allSatisfy({ $0.map { waiting.contains($0.thread) } ?? false }) {
        return .deadlock
      }
    }
    nextTicket += 1
    queue.append(Waiter(ticket: nextTicket, purpose: purpose, work: work, thread: thread))
    return .wait(ticket: nextTicket)
  }

  /// Takes a free seat that a request may use now.
  private mutating func takeFree(at now: ContinuousClock.Instant, for thread: UInt) -> Int? {
    if free.count > unconnected { return free.removeLast() }
    guard unconnected > 0, mayConnect(at: now, for: thread) else { return nil }
    unconnected -= 1
    let seat = free.removeLast()
    if pause != nil { probe = seat }
    return seat
  }

  /// Whether a request may try to open one more connection.
  private func mayConnect(at now: ContinuousClock.Instant, for thread: UInt) -> Bool {
    guard let pause else { return true }
    return probe == nil && pause <= now || !othersHaveConnections(than: thread)
  }

  /// Whether a connection may be given back to a thread that waits for one.
  private func othersHaveConnections(than thread: UInt) -> Bool {
    let waiting = Set(queue.map(\.thread)).union([thread]).subtracting([0])
    return holdings.indices.contains { seat in
      guard isConnected[seat], let use = holdings[seat] else { return false }
      return !waiting.contains(use.thread)
    }
  }

  /// Frees a seat, and gives free seats to the oldest tickets.
  /// - Parameter isConnected: Whether the seat has a connection. Others are used before one without.
  package mutating func leave(
    seat: Int, at now: ContinuousClock.Instant, isConnected: Bool = true
  ) -> [Grant] {
    defer { _invariantCheck() }
    precondition(holdings[seat] != nil, "PostgresPoolGate: seat \(seat) is not held")
    release(seat, isConnected: isConnected)
    return grants(at: now)
  }

  private mutating func release(_ seat: Int, isConnected hasConnection: Bool) {
    holdings[seat] = nil
    isConnected[seat] = hasConnection
    if probe == seat { probe = nil }
    if hasConnection {
      free.append(seat)
    } else {
      free.insert(seat, at: 0)
      unconnected += 1
    }
  }

  private mutating func grants(at now: ContinuousClock.Instant) -> [Grant] {
    var grants: [Grant] = []
    var index = 0
    while index < queue.count, !free.isEmpty {
      let waiter = queue[index]
      let isServed = free.count > unconnected || !waiter.needsConnection
      guard isServed, let seat = takeFree(at: now, for: waiter.thread) else {
        index += 1
        continue
      }
      grants.append(grant(seat, toWaiterAt: index, at: now))
    }
    return grants
  }

  private mutating func grant(
    _ seat: Int, toWaiterAt index: Int, at now: ContinuousClock.Instant
  ) -> Grant {
    let waiter = queue.remove(at: index)
    holdings[seat] = Use(
      purpose: waiter.purpose, work: waiter.work, start: now, thread: waiter.thread)
    return Grant(ticket: waiter.ticket, seat: seat)
  }

  // MARK: Connections

  /// Notes that the holder of a seat has opened its connection.
  package mutating func didConnect(seat: Int, at now: ContinuousClock.Instant) -> [Grant] {
    defer { _invariantCheck() }
    precondition(holdings[seat] != nil, "PostgresPoolGate: seat \(seat) is not held")
    isConnected[seat] = true
    guard probe == seat else { return [] }
    (pause, probe) = (nil, nil)
    return grants(at: now)
  }

  /// Finds another seat for a holder whose connection can't be opened, or a place in the queue.
  /// - Parameters:
  ///   - pausing: How long the gate does not grow; `nil` if the server may let in as many connections as before.
  ///   - triesAgain: Whether the caller may soon try to connect again.
  package mutating func refused(
    seat: Int, at now: ContinuousClock.Instant, pausing: Duration?, triesAgain: Bool
  ) -> (refusal: Refusal, grants: [Grant]) {
    defer { _invariantCheck() }
    guard let use = holdings[seat] else {
      preconditionFailure("PostgresPoolGate: seat \(seat) is not held")
    }
    isConnected[seat] = false
    if probe == seat { probe = nil }
    if let pausing { pause = max(pause ?? now, now + pausing) }
    if free.count > unconnected {
      let other = free.removeLast()
      holdings[other] = use
      release(seat, isConnected: false)
      return (.exchanged(seat: other), grants(at: now))
    }
    let waits = pausing != nil && othersHaveConnections(than: use.thread)
    guard waits || triesAgain else { return (.fail, []) }
    nextTicket += 1
    let waiter = Waiter(
      ticket: nextTicket, purpose: use.purpose, work: use.work, thread: use.thread, isRefused: true,
      needsConnection: !waits)
    queue.insert(waiter, at: queue.firstIndex { !$0.isRefused } ?? queue.count)
    release(seat, isConnected: false)
    let refusal: Refusal =
      waits ? .wait(ticket: waiter.ticket) : .tryAgain(ticket: waiter.ticket)
    return (refusal, grants(at: now))
  }

  /// Gives a waiting ticket a seat without a connection, if there is one and the gate may grow.
  package mutating func tryAgain(ticket: Int, at now: ContinuousClock.Instant) -> Int? {
    defer { _invariantCheck() }
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }),
      let seat = takeFree(at: now, for: queue[index].thread)
    else { return nil }
    return grant(seat, toWaiterAt: index, at: now).seat
  }

  /// Whether no refusal keeps the gate from growing.
  package var mayGrow: Bool { pause == nil }

  /// When a waiting ticket should ask whether the gate may grow again; `nil` if it is not needed.
  package func nextTry(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    // Another request may try now, and fail.
    pause.map { $0 > now ? $0 : now + .seconds(1) }
  }

  /// Removes a ticket from the queue.
  /// - Returns: Whether the ticket was still waiting. If not, a seat has been assigned to it.
  package mutating func withdraw(ticket: Int) -> Bool {
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return false }
    queue.remove(at: index)
    return true
  }

  /// The free seats that have connections, which their pool closes.
  package mutating func disconnectFree() -> ArraySlice<Int> {
    defer { unconnected = free.count }
    for seat in free[unconnected...] { isConnected[seat] = false }
    return free[unconnected...]
  }

  /// Refuses new requests; waiting tickets still get their seats.
  package mutating func close() { isClosed = true }

  /// Empty without the compilation condition.
  private func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(
        queue.isEmpty || free.count == unconnected,
        "PostgresPoolGate: a ticket waits although a connection is free")
      precondition(
        free.allSatisfy { holdings[$0] == nil } && Set(free).count == free.count
          && free.count == holdings.count(where: { $0 == nil }),
        "PostgresPoolGate: a seat is free and held, or neither")
      precondition(
        0...free.count ~= unconnected,
        "PostgresPoolGate: more free seats lack a connection than there are")
      precondition(
        zip(queue, queue.dropFirst()).allSatisfy {
          $0.isRefused == $1.isRefused ? $0.ticket < $1.ticket : $0.isRefused
        },
        "PostgresPoolGate: a newer ticket is before an older ticket")
    #endif
  }
}
