package import Foundation

/// Assigns the connections of a pool to holders; a pure state machine without threads or locks.
///
/// Every seat has one holder at a time: a thread, mostly on behalf of a context. A request that finds
/// all suitable seats held gets a ticket. A free seat goes to the oldest suitable ticket, so no
/// request waits forever.
///
/// Another context of the same thread gets another seat for its reads. So it sees neither uncommitted
/// changes nor an earlier state. A thread that waits while it holds a seat could wait for itself;
/// such a request is refused.
package struct PoolGate {
  package enum Purpose { case read, write }

  package enum Admission: Equatable {
    /// The caller holds the seat now.
    case enter(seat: Int)

    /// The caller must wait until `leave` grants its ticket.
    case wait(ticket: Int)

    /// The pool is closed.
    case refuse

    /// All suitable seats are held by this thread, or by threads that wait for its seats.
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

  private struct Holding {
    let holder: ObjectIdentifier
    /// The context; `nil` if any context of the thread may use the seat.
    let owner: UUID?
    var depth = 1

    func isOwn(_ holder: ObjectIdentifier, _ owner: UUID?) -> Bool {
      self.holder == holder
        && (self.owner == nil || owner == nil || self.owner == owner)
    }
  }

  private struct Waiter {
    let ticket: Int
    let purpose: Purpose
    let holder: ObjectIdentifier
    let owner: UUID?
  }

  /// The seat for writing; `nil` in a read-only pool.
  package let writerSeat: Int?

  /// The seats for reading; if there are none, readers use the writer's seat.
  package let readerSeats: Range<Int>

  private var holdings: [Holding?]
  private var queue: [Waiter] = []
  private var nextTicket = 0
  package private(set) var isClosed = false

  package init(hasWriter: Bool, readers: Int) {
    precondition(hasWriter || readers > 0, "PoolGate: a pool needs at least one seat")
    writerSeat = hasWriter ? 0 : nil
    readerSeats = (hasWriter ? 1 : 0)..<(readers + (hasWriter ? 1 : 0))
    holdings = Array(repeating: nil, count: readerSeats.upperBound)
  }

  package var isIdle: Bool { holdings.allSatisfy { $0 == nil } }

  /// Requests a seat. A holder of a suitable seat gets it again at once.
  /// - Parameter owner: The context that reads or writes; `nil` for any of the thread.
  package mutating func arrive(
    _ purpose: Purpose, holder: ObjectIdentifier, for owner: UUID? = nil
  ) -> Admission {
    defer { _invariantCheck() }
    if let seat = held(by: holder, owner, for: purpose) {
      holdings[seat]?.depth += 1
      return .enter(seat: seat)
    }
    if isClosed, !isHolding(holder) { return .refuse }
    if let seat = seats(for: purpose).first(where: { holdings[$0] == nil }) {
      holdings[seat] = Holding(holder: holder, owner: owner)
      return .enter(seat: seat)
    }
    if isHolding(holder), waitsForever(holder, for: purpose) {
      // The writer reads committed rows too.
      guard purpose == .read, let writerSeat, holdings[writerSeat] == nil else { return .deadlock }
      holdings[writerSeat] = Holding(holder: holder, owner: owner)
      return .enter(seat: writerSeat)
    }
    nextTicket += 1
    queue.append(Waiter(ticket: nextTicket, purpose: purpose, holder: holder, owner: owner))
    return .wait(ticket: nextTicket)
  }

  /// Ends one use of a seat by its holder.
  package mutating func leave(seat: Int) -> Grant? {
    defer { _invariantCheck() }
    guard var holding = holdings[seat] else {
      preconditionFailure("PoolGate: seat \(seat) is not held")
    }
    holding.depth -= 1
    if holding.depth > 0 {
      holdings[seat] = holding
      return nil
    }
    holdings[seat] = nil
    guard let index = queue.firstIndex(where: { seats(for: $0.purpose).contains(seat) }) else {
      return nil
    }
    let waiter = queue.remove(at: index)
    holdings[seat] = Holding(holder: waiter.holder, owner: waiter.owner)
    return Grant(ticket: waiter.ticket, seat: seat)
  }

  /// Removes a ticket from the queue.
  /// - Returns: Whether the ticket was still waiting. If not, a seat has been assigned to it.
  package mutating func withdraw(ticket: Int) -> Bool {
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return false }
    queue.remove(at: index)
    return true
  }

  /// Refuses new requests; waiting tickets still get their seats.
  package mutating func close() {
    isClosed = true
  }

  package func isHolding(_ holder: ObjectIdentifier) -> Bool {
    holdings.contains { $0?.holder == holder }
  }

  private func seats(for purpose: Purpose) -> Range<Int> {
    switch (purpose, writerSeat) {
    case (.read, let writer?) where readerSeats.isEmpty: writer..<(writer + 1)
    case (.read, _): readerSeats
    case (.write, let writer?): writer..<(writer + 1)
    case (.write, nil): 0..<0
    }
  }

  /// The holder of the writer also reads through it, and so sees its own uncommitted changes. So does
  /// another context of its thread if there is no other seat, and if it writes: the store refuses that.
  private func held(by holder: ObjectIdentifier, _ owner: UUID?, for purpose: Purpose) -> Int? {
    if let writerSeat, let holding = holdings[writerSeat], holding.holder == holder {
      if purpose == .write || readerSeats.isEmpty || holding.isOwn(holder, owner) {
        return writerSeat
      }
    }
    guard purpose == .read else { return nil }
    return readerSeats.first { holdings[$0]?.isOwn(holder, owner) == true }
  }

  /// Whether each thread that could free a suitable seat waits, in the end, for a seat of `holder`.
  private func waitsForever(_ holder: ObjectIdentifier, for purpose: Purpose) -> Bool {
    var blocked = queue.map { (holder: $0.holder, purpose: $0.purpose) }
    blocked.append((holder, purpose))
    func isBlocked(_ seat: Int) -> Bool {
      guard let holding = holdings[seat] else { return false }
      return blocked.contains { $0.holder == holding.holder }
    }
    while true {
      let left = blocked.filter { seats(for: $0.purpose).allSatisfy(isBlocked) }
      if left.count == blocked.count { return blocked.contains { $0.holder == holder } }
      blocked = left
    }
  }

  /// Empty without the compilation condition.
  private func _invariantCheck() {
    #if OPENSWIFTDATA_INVARIANTS
      for waiter in queue {
        precondition(
          seats(for: waiter.purpose).allSatisfy { holdings[$0] != nil },
          "PoolGate: a ticket waits although a seat is free")
      }
      precondition(
        zip(queue, queue.dropFirst()).allSatisfy { $0.ticket < $1.ticket },
        "PoolGate: a newer ticket is before an older ticket")
      precondition(
        holdings.allSatisfy { ($0?.depth ?? 1) > 0 }, "PoolGate: a seat is held zero times")
    #endif
  }
}
