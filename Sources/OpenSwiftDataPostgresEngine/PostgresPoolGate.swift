/// Assigns the connections of a pool to holders; a pure state machine without threads, locks or
/// clocks.
///
/// Every seat has one holder at a time. A holder that asks again gets the seat that it has: one for
/// writing always, one for reading only to read. A request that finds no free seat gets a ticket; free
/// seats go to tickets in their order, so no request waits forever.
package struct PostgresPoolGate {
  package enum Purpose: Sendable { case read, write }

  package enum Admission: Equatable {
    /// The caller holds the seat now.
    case enter(seat: Int)
    /// The caller must wait until `leave` grants its ticket.
    case wait(ticket: Int)
    /// The pool is closed.
    case refuse
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
  }

  private struct Holding {
    let holder: ObjectIdentifier
    let use: Use
    var depth = 1
  }

  private struct Waiter {
    let ticket: Int
    let holder: ObjectIdentifier
    let purpose: Purpose
    let work: String
  }

  private var holdings: [Holding?]
  private var queue: [Waiter] = []
  /// Free seats; the last one was used last, so that its connection is most likely open.
  private var free: [Int]
  private var nextTicket = 0
  package private(set) var isClosed = false

  package init(seats: Int) {
    precondition(seats > 0, "PostgresPoolGate: a pool needs at least one seat")
    holdings = Array(repeating: nil, count: seats)
    free = Array((0..<seats).reversed())
  }

  package var isIdle: Bool { free.count == holdings.count }

  package var seatCount: Int { holdings.count }

  /// The uses of the seats that are held.
  package var uses: [Use] { holdings.compactMap { $0?.use } }

  /// What waiting requests want to do.
  package var waiting: [String] { queue.map(\.work) }

  /// Requests a seat.
  /// - Parameter now: The time at which the seat is used from, if it is free.
  package mutating func arrive(
    _ purpose: Purpose, for work: String, holder: ObjectIdentifier, at now: ContinuousClock.Instant
  ) -> Admission {
    defer { _invariantCheck() }
    if let seat = held(by: holder, for: purpose) {
      holdings[seat]?.depth += 1
      return .enter(seat: seat)
    }
    if isClosed { return .refuse }
    if let seat = free.popLast() {
      holdings[seat] = Holding(
        holder: holder, use: Use(purpose: purpose, work: work, start: now))
      return .enter(seat: seat)
    }
    nextTicket += 1
    queue.append(Waiter(ticket: nextTicket, holder: holder, purpose: purpose, work: work))
    return .wait(ticket: nextTicket)
  }

  /// Ends one use of a seat by its holder.
  package mutating func leave(seat: Int, at now: ContinuousClock.Instant) -> Grant? {
    defer { _invariantCheck() }
    guard let holding = holdings[seat] else {
      preconditionFailure("PostgresPoolGate: seat \(seat) is not held")
    }
    if holding.depth > 1 {
      holdings[seat]?.depth -= 1
      return nil
    }
    guard !queue.isEmpty else {
      holdings[seat] = nil
      free.append(seat)
      return nil
    }
    let waiter = queue.removeFirst()
    holdings[seat] = Holding(
      holder: waiter.holder, use: Use(purpose: waiter.purpose, work: waiter.work, start: now))
    return Grant(ticket: waiter.ticket, seat: seat)
  }

  /// Whether `leave` would end the last use of the seat.
  package func isLastUse(of seat: Int) -> Bool { holdings[seat]?.depth == 1 }

  /// Removes a ticket from the queue.
  /// - Returns: Whether the ticket was still waiting. If not, a seat has been assigned to it.
  package mutating func withdraw(ticket: Int) -> Bool {
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return false }
    queue.remove(at: index)
    return true
  }

  /// Refuses new requests; waiting tickets still get their seats.
  package mutating func close() { isClosed = true }

  package func isHolding(_ holder: ObjectIdentifier) -> Bool {
    holdings.contains { $0?.holder == holder }
  }

  private func held(by holder: ObjectIdentifier, for purpose: Purpose) -> Int? {
    let own = holdings.indices.filter { holdings[$0]?.holder == holder }
    return own.first { holdings[$0]?.use.purpose == .write } ?? (purpose == .read ? own.first : nil)
  }

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
        zip(queue, queue.dropFirst()).allSatisfy { $0.ticket < $1.ticket },
        "PostgresPoolGate: a newer ticket is before an older ticket")
    #endif
  }
}
