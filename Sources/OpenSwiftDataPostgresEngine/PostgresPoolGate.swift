/// Assigns the connections of a pool to holders; a pure state machine without threads, locks or
/// clocks.
///
/// Every seat has one holder at a time. A request that finds no free seat gets a ticket; free seats go to
/// tickets in their order, so no request waits forever.
///
/// A server may let in fewer connections than there are seats. A request that it has refused gets a ticket before
/// all others. Then the gate does not grow: for some time, requests wait for the connections that others hold, and
/// do not ask the server for more. After that the oldest one tries again, alone. If it succeeds, the gate grows as
/// before. While nobody has a connection to give back, all may try, and those that were refused give up soon.
package struct PostgresPoolGate {
  package enum Purpose: Sendable { case read, write }

  package enum Admission: Equatable {
    /// The caller holds the seat now.
    case enter(seat: Int)
    /// The caller must wait until its ticket is granted, and `check` it now and then.
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
    /// The seat is free. The caller waits for another one.
    case wait(ticket: Int)
    /// Nothing can help. The caller still holds its seat.
    case fail
  }

  /// What a request with a ticket does next.
  package enum Check: Equatable {
    /// It waits for others, within its own limit, and checks again at this time.
    case wait(until: ContinuousClock.Instant)
    /// It checks again at this time, whatever its limit is.
    case tryAgain(until: ContinuousClock.Instant)
    /// Nobody can give it a connection. The ticket is withdrawn.
    case giveUp
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
    /// Until when it tries to connect again and again, before it waits for others or gives up; `nil` if it waits.
    var triesUntil: ContinuousClock.Instant?
    /// Before that time it takes only a seat with a connection.
    var nextTry: ContinuousClock.Instant?

    /// Whether it may take a seat without a connection.
    func isReady(at now: ContinuousClock.Instant) -> Bool {
      nextTry.map { $0 <= now } ?? true && triesUntil.map { $0 > now } ?? true
    }
  }

  /// A waiting request checks its ticket at least this often.
  private static let longestSleep = Duration.seconds(1)

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
  /// The seats that are used without a connection although the gate does not grow.
  private var probes: Set<Int> = []
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

  /// Whether all seats have connections.
  package var isComplete: Bool { !isConnected.contains(false) }

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
    // While the gate does not grow, the oldest ticket is the first to ask the server for more.
    let isNext = pause == nil || queue.isEmpty
    let mayConnect = isNext && self.mayConnect(at: now, whileOthersLend: othersLend(to: thread))
    if let seat = takeFree(connecting: mayConnect) {
      holdings[seat] = Use(purpose: purpose, work: work, start: now, thread: thread)
      return .enter(seat: seat)
    }
    if isHolding, free.isEmpty, !othersLend(to: thread, orConnect: true) { return .deadlock }
    nextTicket += 1
    queue.append(Waiter(ticket: nextTicket, purpose: purpose, work: work, thread: thread))
    return .wait(ticket: nextTicket)
  }

  /// Takes a free seat with a connection, or one without if that is allowed.
  private mutating func takeFree(connecting mayConnect: Bool) -> Int? {
    if free.count > unconnected { return free.removeLast() }
    guard unconnected > 0, mayConnect else { return nil }
    unconnected -= 1
    let seat = free.removeLast()
    if pause != nil { probes.insert(seat) }
    return seat
  }

  /// Whether a request may try to open one more connection.
  private func mayConnect(
    at now: ContinuousClock.Instant, whileOthersLend othersLend: @autoclosure () -> Bool
  ) -> Bool {
    guard let pause else { return true }
    return probes.isEmpty && pause <= now || !othersLend()
  }

  /// Whether another thread may give back a connection: one that does not wait for others itself.
  /// - Parameter orConnect: Whether one is enough that opens its connection.
  private func othersLend(to thread: UInt, orConnect: Bool = false) -> Bool {
    holdings.indices.contains { seat in
      guard isConnected[seat] || orConnect, let use = holdings[seat] else { return false }
      if use.thread == 0 { return true }
      return use.thread != thread
        && !queue.contains { $0.thread == use.thread && $0.triesUntil == nil }
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
    probes.remove(seat)
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
    // Those that only wait lend nothing, so the answer is the same for all of them.
    var isLentToWaiting: Bool?
    func othersLend(to waiter: Waiter) -> Bool {
      if waiter.triesUntil != nil { return self.othersLend(to: waiter.thread) }
      let isLent = isLentToWaiting ?? self.othersLend(to: waiter.thread)
      isLentToWaiting = isLent
      return isLent
    }
    while index < queue.count, !free.isEmpty {
      let waiter = queue[index]
      let mayConnect =
        waiter.isReady(at: now)
        && self.mayConnect(at: now, whileOthersLend: othersLend(to: waiter))
      guard let seat = takeFree(connecting: mayConnect) else {
        index += 1
        continue
      }
      grants.append(grant(seat, toWaiterAt: index, at: now))
      isLentToWaiting = nil
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
    if probes.remove(seat) != nil { (pause, probes) = (nil, []) }
    guard pause == nil else { return [] }
    for index in queue.indices { queue[index].nextTry = nil }
    return grants(at: now)
  }

  /// Finds another seat for a holder whose connection can't be opened, or a place in the queue.
  /// - Parameters:
  ///   - pausing: How long the gate does not grow; `nil` if the server may let in as many connections as before.
  ///   - tryingUntil: Until when the caller may try to connect again, after `backoff`; `nil` if the reason won't pass.
  package mutating func refused(
    seat: Int, at now: ContinuousClock.Instant, pausing: Duration?,
    tryingUntil: ContinuousClock.Instant?, after backoff: Duration = .zero
  ) -> (refusal: Refusal, grants: [Grant]) {
    defer { _invariantCheck() }
    guard let use = holdings[seat] else {
      preconditionFailure("PostgresPoolGate: seat \(seat) is not held")
    }
    isConnected[seat] = false
    probes.remove(seat)
    if let pausing { pause = max(pause ?? now, now + pausing) }
    if free.count > unconnected {
      let other = free.removeLast()
      holdings[other] = use
      release(seat, isConnected: false)
      return (.exchanged(seat: other), grants(at: now))
    }
    let mayTry = tryingUntil.map { $0 > now } ?? false
    let waits = (pausing != nil || tryingUntil != nil && !mayTry) && othersLend(to: use.thread)
    guard waits || mayTry else { return (.fail, []) }
    nextTicket += 1
    var waiter = Waiter(
      ticket: nextTicket, purpose: use.purpose, work: use.work, thread: use.thread, isRefused: true)
    if !waits {
      (waiter.triesUntil, waiter.nextTry) = (tryingUntil, now + backoff)
    } else if pausing == nil {
      // Not at once again: others may give back a connection.
      waiter.nextTry = now + PostgresPoolGate.longestSleep
    }
    queue.insert(waiter, at: queue.firstIndex { !$0.isRefused } ?? queue.count)
    release(seat, isConnected: false)
    return (.wait(ticket: waiter.ticket), grants(at: now))
  }

  /// Finds out what a ticket does next, and gives seats to those that may try to connect now.
  /// - Returns: Any time as the first if the ticket is one of those that get a seat.
  package mutating func check(
    ticket: Int, at now: ContinuousClock.Instant
  ) -> (check: Check, grants: [Grant]) {
    defer { _invariantCheck() }
    let grants = grants(at: now)
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else {
      return (.wait(until: now), grants)
    }
    if let end = queue[index].triesUntil, end <= now {
      guard othersLend(to: queue[index].thread, orConnect: free.isEmpty) else {
        queue.remove(at: index)
        return (.giveUp, grants)
      }
      (queue[index].triesUntil, queue[index].nextTry) = (nil, nil)
    }
    let waiter = queue[index]
    let next = [pause, waiter.nextTry, waiter.triesUntil].compactMap(\.self).filter { $0 > now }
    let time = (next + [now + PostgresPoolGate.longestSleep]).min() ?? now
    return (waiter.triesUntil == nil ? .wait(until: time) : .tryAgain(until: time), grants)
  }

  /// Whether no refusal keeps the gate from growing.
  package var mayGrow: Bool { pause == nil }

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
