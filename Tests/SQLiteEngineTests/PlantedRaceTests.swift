import Dispatch
import Foundation
import OpenSwiftDataSQLiteEngine
import Synchronization
import Testing

/// Races that `Scripts/check-threads` has to find before it believes that there are no others. They do
/// no harm: no order of the two threads crashes.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PLANTED_RACES"] == "1"))
struct PlantedRaceTests {
  /// The library's code writes the number, so that the library is built for the sanitizer, too.
  @Test func aConnectionIsUsedWithoutPool() throws {
    nonisolated(unsafe) let connection = try Connection(path: "", mode: .memory(name: nil))
    let isDone = DispatchSemaphore(value: 0)
    let reader = Thread {
      // Ends by itself, should the other thread fail.
      for _ in 0..<100_000 where connection.preparedCount < 200 { usleep(10) }
      isDone.signal()
    }
    reader.start()
    let statements = try (0..<200).map { try connection.prepare("SELECT \($0)") }
    isDone.wait()
    #expect(statements.count == 200)
  }

  /// One of them takes the lock that others wait for, one takes none.
  @Test func oneThreadForgetsTheLock() {
    let total = Total()
    let isDone = DispatchSemaphore(value: 0)
    for number in 0..<4 {
      let thread = Thread {
        for _ in 0..<5000 {
          if number == 0 { total.addWithoutLock() } else { total.add() }
        }
        isDone.signal()
      }
      thread.start()
    }
    for _ in 0..<4 { isDone.wait() }
  }
}

/// What `PlantedRaceTests` does, as it should be: here the sanitizer must report nothing.
@Suite struct GuardedSumTests {
  @Test func threadsThatWaitForALockLoseNothing() {
    let total = Total()
    let isDone = DispatchSemaphore(value: 0)
    for _ in 0..<8 {
      let thread = Thread {
        for _ in 0..<5000 { total.add() }
        isDone.signal()
      }
      thread.start()
    }
    for _ in 0..<8 { isDone.wait() }
    #expect(total.value == 40_000)
  }
}

private final class Total: @unchecked Sendable {
  private let lock = Mutex(())
  private var sum = 0

  var value: Int { lock.withLock { _ in sum } }

  func add() { lock.withLock { _ in sum += 1 } }

  func addWithoutLock() { sum += 1 }
}
