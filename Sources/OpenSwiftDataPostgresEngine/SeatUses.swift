import Foundation
import Synchronization

/// Which threads use the seats of a pool, so that a thread finds its own seat again without a lock.
///
/// A read of several statements asks the pool for its seat before each of them. Only the thread that has a
/// seat writes its entry, so what a thread reads about itself is true. Between two threads the lock of the
/// pool orders the accesses.
final class SeatUses: @unchecked Sendable {
  private final class Seat {
    /// The thread that has the seat; 0 for none.
    let holder = Atomic<UInt>(0)
    var purpose = PostgresPoolGate.Purpose.read
    /// The context of the thread; `nil` if any context of it may use the seat.
    var owner: UUID?
    /// How many uses of the thread are inside each other.
    var depth = 0
  }

  private let seats: [Seat]

  init(count: Int) { seats = (0..<count).map { _ in Seat() } }

  /// The thread that asks.
  static var thread: UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: ObjectIdentifier(Thread.current))
    #endif
  }

  private func isOwn(_ seat: Int, of thread: UInt) -> Bool {
    seats[seat].holder.load(ordering: .relaxed) == thread
  }

  /// Whether this thread has a seat.
  var isHeldByThread: Bool {
    let thread = SeatUses.thread
    return seats.indices.contains { isOwn($0, of: thread) }
  }

  /// Whether this thread has a seat with which a context may read.
  func isHeldByThread(for owner: UUID?) -> Bool {
    let thread = SeatUses.thread
    return seats.indices.contains { isOwn($0, of: thread) && isShared($0, with: owner) }
  }

  private func isShared(_ seat: Int, with owner: UUID?) -> Bool {
    guard let owner, let other = seats[seat].owner else { return true }
    return owner == other
  }

  /// Uses a seat that this thread has already: one for writing to write, and each of the same context to
  /// read.
  /// - Returns: `nil` if the thread needs a seat.
  func enterAgain(_ purpose: PostgresPoolGate.Purpose, for owner: UUID?) -> Int? {
    let thread = SeatUses.thread
    let own = seats.indices.lazy.filter {
      self.isOwn($0, of: thread) && (purpose == .write || self.isShared($0, with: owner))
    }
    guard
      let seat = own.first(where: { self.seats[$0].purpose == .write })
        ?? (purpose == .read ? own.first : nil)
    else { return nil }
    seats[seat].depth += 1
    return seat
  }

  /// Called by the thread that has got a seat.
  func enter(_ seat: Int, _ purpose: PostgresPoolGate.Purpose, for owner: UUID?) {
    seats[seat].purpose = purpose
    seats[seat].owner = owner
    seats[seat].depth = 1
    seats[seat].holder.store(SeatUses.thread, ordering: .relaxed)
  }

  /// Goes on with another seat, whose use began as that of the first one.
  func move(from seat: Int, to other: Int) {
    enter(other, seats[seat].purpose, for: seats[seat].owner)
    leave(seat)
  }

  /// Whether no other use of the thread is around this one.
  func isOutermost(_ seat: Int) -> Bool { seats[seat].depth == 1 }

  /// Ends the use of a seat. After that of the outermost one, the seat belongs to no thread.
  func leave(_ seat: Int) {
    precondition(seats[seat].depth > 0, "PostgresPool: a seat is left that no thread has")
    seats[seat].depth -= 1
    if seats[seat].depth == 0 { seats[seat].holder.store(0, ordering: .relaxed) }
  }
}
