import Foundation
import Synchronization

// What a call does whose connection can't be opened.
//
// 1. It goes on with a free seat that has a connection.
// 2. A server that may be full keeps those that are open: the call gives its seat back, and gets the next
//    connection that another one gives back, within its own limit of waiting. Meanwhile the pool does not grow.
// 3. From a server that restarts it is also the next, but tries to connect again and again, for a short time.
// 4. Otherwise, and if no other connection is open, it throws the reason of the server.
extension PostgresPool {
  /// A refusal lasts at most this long.
  private static let longestPause = Duration.seconds(60)

  /// Opens the connection of a seat, or finds another seat.
  func connect(
    at first: Int, _ request: Request
  ) throws -> (seat: Int, connection: PostgresConnection) {
    var seat = first
    // An empty pool that can't connect is told at once.
    let mayWait = openedCount > 0
    var deadline = Deadline(after: limits.reconnectLimit)
    var backoff = Duration.milliseconds(20)
    while true {
      let start = ContinuousClock.now
      do {
        return (seat, try open(at: seat))
      } catch let error as PostgresError {
        let triesAgain =
          error.repetition == .onNewConnection && !deadline.isPast
          && (mayWait || error.state == .cannotConnectNow)
        let isSilent = error.kind == .timeout && limits.reconnectLimit == .zero
        let pause: Duration? =
          error.isOfFullServer && !isSilent
          ? min(max(limits.growthPause, (.now - start) * 3), PostgresPool.longestPause) : nil
        let sleeper = Sleeper()
        switch refuse(&seat, because: error, pausing: pause, triesAgain: triesAgain, sleeper) {
        case .exchanged: break
        case .wait(let ticket):
          seat = try self.seat(ofTicket: ticket, sleeper, request)
          deadline = Deadline(after: limits.reconnectLimit)
        case .tryAgain(let ticket):
          seat = try self.seat(
            ofTicket: ticket, sleeper, request, after: backoff, until: deadline, because: error)
          backoff = min(backoff * 2, .milliseconds(500))
        case .fail:
          leave(seat)
          throw error
        }
        if let connection = usableConnection(at: seat) { return (seat, connection) }
      } catch {
        leave(seat)
        throw error
      }
    }
  }

  /// Exchanges a seat for one whose connection works, or gives it back.
  private func refuse(
    _ seat: inout Int, because error: PostgresError, pausing pause: Duration?, triesAgain: Bool,
    _ sleeper: Sleeper
  ) -> PostgresPoolGate.Refusal {
    // If the network is lost, none of them answers.
    let deadline = Deadline(after: limits.reconnectLimit)
    while true {
      let refused = seat
      let (refusal, woken) = state.withLock { state in
        let (refusal, grants) = state.gate.refused(
          seat: refused, at: .now, pausing: pause, triesAgain: triesAgain)
        if pause != nil { state.refusal = error }
        // Before another thread gets the seat.
        switch refusal {
        case .exchanged(let other): uses.move(from: refused, to: other)
        case .wait(let ticket), .tryAgain(let ticket):
          uses.leave(refused)
          state.sleepers[ticket] = sleeper
        case .fail: break
        }
        return (refusal, state.assign(grants))
      }
      for sleeper in woken { sleeper.wake.signal() }
      guard case .exchanged(let other) = refusal else { return refusal }
      seat = other
      if usableConnection(at: seat) != nil { return refusal }
      if deadline.isPast { return .fail }
    }
  }

  /// Waits for a connection that others give back, or until it is time to connect again.
  private func seat(
    ofTicket ticket: Int, _ sleeper: Sleeper, _ request: Request, after backoff: Duration,
    until deadline: Deadline, because error: PostgresError
  ) throws -> Int {
    var found: Int?
    repeat {
      found = sleep(ticket, sleeper, until: .now + backoff)
    } while found == nil && !deadline.isPast
    guard let seat = found ?? withdraw(ticket, sleeper) else { throw error }
    uses.enter(seat, request.purpose, for: request.owner)
    return seat
  }
}
