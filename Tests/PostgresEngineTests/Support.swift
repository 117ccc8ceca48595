import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import Synchronization
import Testing

/// The error that `body` throws.
func failure(
  _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> PostgresError? {
  do {
    try body()
    Issue.record("nothing was thrown", sourceLocation: location)
  } catch let error as PostgresError {
    return error
  } catch {
    Issue.record("\(error)", sourceLocation: location)
  }
  return nil
}

/// Work on a thread of its own.
final class Background<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> Value) {
    let thread = Thread { [self] in
      let value = Result { try body() }
      result.withLock { $0 = value }
      done.signal()
    }
    thread.start()
  }

  func wait() throws -> Value {
    done.wait()
    done.signal()
    return try result.withLock { try $0!.get() }
  }
}

/// Lends a value that is not `Sendable` to one other thread at a time.
struct Lent<Value>: @unchecked Sendable {
  // Each test makes sure that only one thread uses the value.
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension PostgresConnection {
  /// Another connection to the shared server, with the same schema.
  func another() throws -> PostgresConnection {
    let other = try PostgresServer.shared.connect()
    for schema in try texts("SHOW search_path") { try other.execute("SET search_path = \(schema)") }
    return other
  }

  func integer(_ sql: String, _ values: PostgresValue...) throws -> Int64? {
    let statement = try prepare(sql)
    try statement.bind(values)
    return try statement.integer()
  }

  func values(_ sql: String, _ values: PostgresValue...) throws -> [[PostgresValue]] {
    let statement = try prepare(sql)
    try statement.bind(values)
    return try statement.values()
  }
}

func time(_ body: () throws -> Void) rethrows -> Duration {
  try ContinuousClock().measure(body)
}

/// Values from several threads.
final class Collected<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  var all: [Value] { values.withLock { $0 } }

  func add(_ value: Value) { values.withLock { $0.append(value) } }
}
