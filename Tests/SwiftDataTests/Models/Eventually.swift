import Foundation
import Testing

// How tests wait: for a condition that comes true on its own, for a call that blocks, and for time.
// A test that blocks its thread stops others, because the threads that run the tests are as many as
// the processors.

/// Waits until a condition holds, and records an issue if it does not in time.
///
/// The limit counts pauses between two looks, not the time that other tests take in between. So it is
/// the same on a busy machine.
/// - Parameters:
///   - expected: What the test waits for, for the issue.
///   - limit: The sum of the pauses.
/// - Returns: Whether the condition came true.
@discardableResult
func eventually(
  _ expected: @autoclosure () -> String, within limit: Duration = .seconds(5),
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws -> Bool {
  var pause = Duration.milliseconds(1)
  var waited = Duration.zero
  while true {
    if try await condition() { return true }
    guard waited < limit else {
      Issue.record("waited \(limit) for this: \(expected())", sourceLocation: sourceLocation)
      return false
    }
    try await Task.sleep(for: pause)
    waited += pause
    pause = min(pause * 2, .milliseconds(8))
  }
}

/// Waits for a time in which nothing must happen, where no later event shows that nothing did.
func quietly(_ time: Duration) async throws { try await Task.sleep(for: time) }

/// Runs code that blocks, or that measures short times, on a thread of its own.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result(catching: body)) }
    thread.stackSize = 8 << 20
    thread.start()
  }
}

/// Starts code on a thread of its own at once. A task would begin only when the threads of the other tests are free.
/// - Returns: Waits for the result.
func startThread<R: Sendable>(
  _ body: @escaping @Sendable () throws -> R
) -> Task<R, any Error> {
  let (results, continuation) = AsyncThrowingStream.makeStream(of: R.self)
  let thread = Thread {
    do {
      continuation.yield(try body())
      continuation.finish()
    } catch {
      continuation.finish(throwing: error)
    }
  }
  thread.stackSize = 8 << 20
  thread.start()
  return Task {
    for try await result in results { return result }
    throw CancellationError()
  }
}

/// Blocks the thread until a condition holds; for code that runs in ``onThread(_:)``.
/// - Returns: Whether it came true in time.
@discardableResult
func blocks(
  upTo limit: Duration = .seconds(5), until condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while try !condition() {
    if ContinuousClock.now > deadline { return false }
    Thread.sleep(forTimeInterval: 0.001)
  }
  return true
}
