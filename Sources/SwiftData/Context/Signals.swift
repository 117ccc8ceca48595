import Synchronization

/// Listeners that are called when something has happened, without details. Calls may come from any
/// thread.
final class Signals: Sendable {
  private struct State {
    var listeners: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Removes a listener when its last reference is released.
  final class Registration: Sendable {
    private let signals: Signals
    private let number: Int

    fileprivate init(_ signals: Signals, _ number: Int) {
      self.signals = signals
      self.number = number
    }

    deinit {
      let ended = signals.state.withLock { $0.listeners.removeValue(forKey: number) }
      withExtendedLifetime(ended) {}
    }
  }

  /// - Returns: An object that keeps the listener registered.
  func add(_ listener: @escaping @Sendable () -> Void) -> Registration {
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
    return Registration(self, number)
  }

  func fire() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
  }
}
