import Foundation

/// Runs a read or a unit of work until the end of `body`.
/// - Parameter run: Runs it with the closure that it gets, which holds it.
func occupying(
  _ run: @escaping @Sendable (_ hold: @escaping @Sendable () -> Void) async throws -> Void,
  _ body: () async throws -> Void
) async throws {
  let (begun, end) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
  let first = Task {
    try await run {
      begun.continuation.finish()
      end.wait()
    }
  }
  for await _ in begun.stream {}
  do {
    try await body()
  } catch {
    end.signal()
    throw error
  }
  end.signal()
  try await first.value
}
