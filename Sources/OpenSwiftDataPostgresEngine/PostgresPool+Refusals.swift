import Foundation
import Synchronization

// What a call does whose connection can't be opened.
//
// 1. It goes on with a free seat that has a connection.
// 2. Otherwise it gives its seat back, and is the next to get a connection that others give back. If the server may
//    be full, the pool does not grow meanwhile.
// 3. If nobody else has a connection, or the server restarts, it tries to connect again and again, for a short time.
//    After that it waits for others, or throws the reason of the server if there are none.
extension PostgresPool {
  /// A refusal lasts at most this long.
  private static let longestPause = Duration.seconds(60)
  private static let firstBackoff = Duration.milliseconds(20)

  private enum Outcome {
    case enter(PostgresConnection)
    case wait(ticket: Int, Sleeper)
    case fail
  }

  /// Opens the connection of a seat, or finds another seat.
  func connect(
    at first: Int, _ request: inout Request
  ) throws -> (seat: Int, connection: PostgresConnection) {
    var seat = first
    // An empty pool that can't connect is told at once.
    let isEmpty = openedCount == 0
    // No call waits for a server that others can replace.
    let isPatient = limits.reconnectLimit > .zero
    var patience = ContinuousClock.now + limits.reconnectLimit
    var backoff = PostgresPool.firstBackoff
    while true {
      let start = ContinuousClock.now
      do {
        return (seat, try open(at: seat))
      } catch let error as PostgresError {
        let isFirst = request.refusal == nil
        request.refusal = error
        if !isFirst, request.end <= .now {
          leave(seat)
          throw error
        }
        let isPassing =
          isPatient && error.repetition == .onNewConnection
          && (!isEmpty || error.state == .cannotConnectNow)
        let pause: Duration? =
          isPatient && error.isOfFullServer
          ? min(max(limits.growthPause, (.now - start) * 3), PostgresPool.longestPause) : nil
        switch refuse(
          &seat, because: error, pausing: pause, tryingUntil: isPassing ? patience : nil,
          after: backoff)
        {
        case .enter(let connection): return (seat, connection)
        case .wait(let ticket, let sleeper):
          seat = try self.seat(ofTicket: ticket, sleeper, &request)
        case .fail:
          leave(seat)
          throw error
        }
      } catch {
        leave(seat)
        throw error
      }
      if let connection = usableConnection(at: seat) { return (seat, connection) }
      // After a wait for others it has the whole time again.
      backoff = min(backoff * 2, .milliseconds(500))
      if patience <= .now {
        patience = .now + limits.reconnectLimit
        backoff = PostgresPool.firstBackoff
      }
    }
  }

  /// Exchanges a seat for one whose connection works, or gives it back.
  private func refuse(
    _ seat: inout Int, because error: PostgresError, pausing pause: Duration?,
    tryingUntil patience: ContinuousClock.Instant?, after backoff: Duration
  ) -> Outcome {
    let sleeper = Sleeper()
    // If the network is lost, none of them answers.
    let deadline = Deadline(after: limits.reconnectLimit)
    while true {
      let refused = seat
      let (refusal, woken) = state.withLock { state in
        let (refusal, grants) = state.gate.refused(
          seat: refused, at: .now, pausing: pause, tryingUntil: patience, after: backoff)
        if pause != nil { state.refusal = error }
        // Before another thread gets the seat.
        switch refusal {
        case .exchanged(let other): uses.move(from: refused, to: other)
        case .wait(let ticket):
          uses.leave(refused)
          state.sleepers[ticket] = sleeper
        case .fail: break
        }
        return (refusal, state.assign(grants))
      }
      for sleeper in woken { sleeper.wake.signal() }
      switch refusal {
      case .exchanged(let other): seat = other
      case .wait(let ticket): return .wait(ticket: ticket, sleeper)
      case .fail: return .fail
      }
      if let connection = usableConnection(at: seat) { return .enter(connection) }
      if deadline.isPast { return .fail }
    }
  }
}
