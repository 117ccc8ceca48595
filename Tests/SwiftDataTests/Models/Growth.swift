import Foundation
import Testing

/// How the time for some work grows with its amount, for tests of the cost of an operation.
enum Growth {
  /// The seconds that this thread has of a processor while `body` runs. Other tests do not count.
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  /// Expects less than nine times the time for four times the work: in proportion it is four, by the
  /// square sixteen. There are three attempts, because the processor shares its caches.
  /// - Parameter seconds: Does some amount of work, and returns the time that it takes.
  static func expectLinear(
    from amount: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ seconds: (Int) throws -> Double
  ) rethrows {
    var ratio = Double.infinity
    for _ in 0..<3 where ratio >= 9 {
      ratio = min(ratio, try seconds(4 * amount) / seconds(amount))
    }
    #expect(ratio < 9, "ratio \(ratio)", sourceLocation: sourceLocation)
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
