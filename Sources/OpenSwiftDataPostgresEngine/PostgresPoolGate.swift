/// Assigns the connections of a pool to holders; a pure state machine without threads, locks or
/// clocks.
///
/// Every seat has one holder at a time. A request that finds no free seat gets a ticket; free seats go to
/// tickets in their order, so no request waits forever.
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
  }

  /// By seat; `nil` for free ones.
  private var holdings: [Use?]
  private var queue: [Waiter] = []
  /// Free seats: first those without a connection, then the others, of which the last one was used last.
  private var free: [Int]
  /// The number of free seats without a connection.
  private var unconnected: Int
  private var nextTicket = 0
  package private(set) var isClosed = false

  package init(seats: Int) {
    precondition(seats > 0, "PostgresPoolGate: a pool needs at least one seat")
    holdings = Array(repeating: nil, count: seats)
    free = Array((0..<seats).reversed())
    unconnected = seats
  }

  package var isIdle: Bool { free.count == holdings.count }

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
    if let seat = free.popLast() {
      unconnected = min(unconnected, free.count)
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

  /// Frees a seat, or gives it to the oldest ticket.
  /// - Parameter isConnected: Whether the seat has a connection. Others are used before one without.
  package mutating func leave(
    seat: Int, at now: ContinuousClock.Instant, isConnected: Bool = true
  ) -> Grant? {
    defer { _invariantCheck() }
    precondition(holdings[seat] != nil, "PostgresPoolGate: seat \(seat) is not held")
    guard !queue.isEmpty else {
      holdings[seat] = nil
      if isConnected { free.append(seat) } else { addUnconnected(seat) }
      return nil
    }
    let waiter = queue.removeFirst()
    holdings[seat] = Use(
      purpose: waiter.purpose, work: waiter.work, start: now, thread: waiter.thread)
    return Grant(ticket: waiter.ticket, seat: seat)
  }

  private mutating func addUnconnected(_ seat: Int) {
    free.insert(seat, at: 0)
    unconnected += 1
  }

  /// Gives the holder of a seat whose connection can't be opened a free one that has a connection.
  /// - Returns: `nil` if there is none.
  package mutating func exchange(seat: Int) -> Int? {
    defer { _invariantCheck() }
    precondition(holdings[seat] != nil, "PostgresPoolGate: seat \(seat) is not held")
    guard free.count > unconnected, let other = free.popLast() else { return nil }
    holdings.swapAt(seat, other)
    addUnconnected(seat)
    return other
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
    return free[unconnected...]
  }

  /// Refuses new requests; waiting tickets still get their seats.
  package mutating func close() { isClosed = true }

  /// Empty without the compilation condition.
  private func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      precondition(
        queue.isEmpty || free.isEmpty, "PostgresPoolGate: a ticket waits although a seat is free")
      precondition(
        free.allSatisfy { holdings[$0] == nil } && Set(free).count == free.count
          && free.count == holdings.count(where: { $0 == nil }),
        "PostgresPoolGate: a seat is free and held, or neither")
      precondition(
        0...free.count ~= unconnected,
        "PostgresPoolGate: more free seats lack a connection than there are")
      precondition(
        zip(queue, queue.dropFirst()).allSatisfy { $0.ticket < $1.ticket },
        "PostgresPoolGate: a newer ticket is before an older ticket")
    #endif
  }
}
