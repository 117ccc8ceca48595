import Dispatch
import Foundation
import OpenSwiftDataPostgresEngine
import SwiftData
import Synchronization

/// Hears the notifications of other containers, on a connection and a thread of its own.
///
/// 1. The thread connects and listens, and then reports that it listens. Commits before that were not
///    heard, so the receiver polls.
/// 2. Each wait ends with notifications, or after 30 s with a question to the server, because a
///    connection that a firewall has dropped looks like a quiet one.
/// 3. A lost connection is reported, and opened again after 0.1 s to 5 s.
final class CommitListener: Sendable {
  /// Where to listen.
  struct Address: Sendable {
    let parameters: ConnectionParameters
    let options: ConnectionOptions
    let channel: CommitChannel
  }

  enum Event: Sendable {
    case notified
    case listens(Bool)
  }

  private struct State {
    var connection: Listening?
    var hasEnded = false
  }

  /// Safe: other threads only call `cancel`, which is thread-safe.
  private struct Listening: @unchecked Sendable {
    let connection: PostgresConnection
  }

  private static let checkAfter = Duration.seconds(30)
  private static let answerWithin = Duration.seconds(5)
  private static let pauses = 0.1...5.0

  private let address: Address
  private let onEvent: @Sendable (Event) -> Void
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  init(_ address: Address, onEvent: @escaping @Sendable (Event) -> Void) {
    self.address = address
    self.onEvent = onEvent
  }

  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "SwiftData PostgreSQL notifications"
    thread.stackSize = 512 * 1024
    thread.start()
  }

  func end() {
    let connection = state.withLock { state in
      state.hasEnded = true
      return state.connection
    }
    connection?.connection.cancel()
    wake.signal()
  }

  /// The connection has a name of its own in `pg_stat_activity`.
  private var options: ConnectionOptions {
    var options = address.options
    options.applicationName += " notifications"
    return options
  }

  private var hasEnded: Bool { state.withLock { $0.hasEnded } }

  private func run() {
    var pause = CommitListener.pauses.lowerBound
    while !hasEnded {
      do {
        let connection = try PostgresConnection(address.parameters, options: options)
        state.withLock { $0.connection = Listening(connection: connection) }
        try connection.requireServer()
        try connection.execute("LISTEN \(address.channel.quoted)")
        onEvent(.listens(true))
        pause = CommitListener.pauses.lowerBound
        try listen(connection)
      } catch {
        // The polls report a server that does not answer.
        onEvent(.listens(false))
      }
      state.withLock { $0.connection = nil }
      if hasEnded { return }
      _ = wake.wait(timeout: .now() + pause)
      pause = min(pause * 2, CommitListener.pauses.upperBound)
    }
  }

  private func listen(_ connection: PostgresConnection) throws {
    while !hasEnded {
      if try connection.waitForNotification(within: CommitListener.checkAfter) {
        onEvent(.notified)
      } else {
        try connection.ping(within: CommitListener.answerWithin)
      }
    }
  }
}

/// The name under which the containers of one store notify each other.
struct CommitChannel: Hashable, Sendable {
  let name: String

  /// 46 bytes; a server allows 63.
  init(storeIdentifier: String) { name = "swiftdata \(storeIdentifier)" }

  var quoted: String { PostgresConnection.quoted(name) }
}

/// Notifies other containers of commits, after the commit and on another connection: a notification
/// inside the transaction would hold a lock of the whole server while it commits.
///
/// Commits within 5 ms, and those during a notification, cause one notification. One that is lost
/// with the process is replaced by the polls of the other containers.
final class CommitNotifier: Sendable {
  private static let delay = DispatchTimeInterval.milliseconds(5)

  private let pool: PostgresPool
  private let channel: CommitChannel
  private let queue = DispatchQueue(label: "SwiftData PostgreSQL notifications")
  private let isPending = Mutex(false)

  init(_ pool: PostgresPool, _ channel: CommitChannel) {
    self.pool = pool
    self.channel = channel
  }

  func notify() {
    let isFirst = isPending.withLock { isPending in
      defer { isPending = true }
      return !isPending
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + CommitNotifier.delay) { [pool, channel, weak self] in
      self?.isPending.withLock { $0 = false }
      try? pool.read("a notification") { try $0.execute("NOTIFY \(channel.quoted)") }
    }
  }
}
