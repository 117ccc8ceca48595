import Foundation
import SwiftData
import Synchronization
import Testing

/// Runs code in the middle of the work of a store: once, after one of the statements that the store
/// runs for a piece of work.
///
/// The store needs a configuration with the `log`.
final class Interruption: Sendable {
  /// Whose statements count.
  private enum Workers {
    case none, all
    case thread(ObjectIdentifier)

    var haveCurrentThread: Bool {
      switch self {
      case .none: false
      case .all: true
      case .thread(let thread): thread == ObjectIdentifier(Thread.current)
      }
    }
  }

  private struct State {
    var workers = Workers.none
    var count = 0
    var hasRun = false
  }

  private let number: Int
  private let text: String
  private let body: @Sendable () throws -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - number: The number of the statement, from 1.
  ///   - text: Only statements that contain it count.
  ///   - body: It must not use the store itself; it may use another container on the same file.
  init(
    afterStatement number: Int = 1, containing text: String = "",
    _ body: @escaping @Sendable () throws -> Void
  ) {
    self.number = number
    self.text = text
    self.body = body
  }

  /// Whether there were so many statements.
  var hasRun: Bool { state.withLock { $0.hasRun } }

  var log: StatementLog {
    StatementLog { [self] event in
      guard case .statement(let statement) = event, text.isEmpty || statement.sql.contains(text)
      else { return }
      let runs = state.withLock { state in
        guard state.workers.haveCurrentThread else { return false }
        state.count += 1
        guard state.count == number else { return false }
        state.hasRun = true
        return true
      }
      if runs { #expect(throws: Never.self) { try body() } }
    }
  }

  /// Does a piece of work, which is interrupted. Statements that other threads run for the store
  /// meanwhile do not count.
  func during<R>(_ work: () throws -> R) rethrows -> R {
    state.withLock { $0.workers = .thread(ObjectIdentifier(Thread.current)) }
    defer { state.withLock { $0.workers = .none } }
    return try work()
  }

  /// Interrupts work that begins later, on any thread.
  func begin() { state.withLock { $0.workers = .all } }
}
