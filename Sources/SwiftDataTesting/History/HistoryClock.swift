public import Foundation
public import SwiftData
import Synchronization

/// A stopped clock for the history of a store: the times of its transactions, and their age.
///
/// ```swift
/// let clock = HistoryClock(now: Date(timeIntervalSinceReferenceDate: 0))
/// let temporary = try TemporaryContainer(for: Trip.self, Stop.self, clock: clock)
/// clock.advance(by: .seconds(3600))
/// ```
///
/// A library can stop what it stamps itself. `Date.now` in an initialiser of a model is not affected:
/// pass dates to initialisers that tests call.
public final class HistoryClock: Sendable {
  private let time: Mutex<Date>

  /// Creates a clock that stands still.
  /// - Parameter now: Its time.
  public init(now: Date = Date(timeIntervalSinceReferenceDate: 0)) { time = Mutex(now) }

  /// The time of the clock.
  public var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Moves the clock.
  /// - Parameter duration: A negative duration moves it back.
  public func advance(by duration: Duration) {
    time.withLock { $0.addTimeInterval(duration / .seconds(1)) }
  }

  /// A copy of a configuration whose store records the times of this clock.
  /// - Parameter configuration: A configuration that no container has opened yet.
  public func stamping(_ configuration: ModelConfiguration) -> ModelConfiguration {
    var stamped = configuration
    var instruments = configuration.instruments ?? StoreInstruments()
    instruments.now = { self.now }
    stamped.instruments = instruments
    return stamped
  }
}
