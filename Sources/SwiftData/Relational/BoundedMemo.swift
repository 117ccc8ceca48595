import Synchronization

/// Values that are made once for each key and kept, up to a number of keys. Used for what a store
/// builds once for each shape or entity (`StorePlans`).
///
/// At the bound, all values are dropped at once, and the next uses make them again. Keys come from
/// the code of an app, so most apps never reach the bound. Dropping only the oldest value would need
/// a note at each look-up. An app with more keys than the bound makes each value again at most once
/// per `bound` new keys.
///
/// Thread-safe. A value is made outside of the lock, so making one may use other memos. If two
/// threads make the same value at the same time, both use the first one that is stored.
package final class BoundedMemo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var values: [Key: Value] = [:]
    var madeCount = 0
  }

  /// The largest number of values that are kept.
  package let bound: Int
  private let state = Mutex(State())

  package init(bound: Int = 512) { self.bound = bound }

  /// The number of values that were made.
  package var madeCount: Int { state.withLock { $0.madeCount } }

  /// The value of a key; `nil` if it was not made, or was dropped since.
  package subscript(key: Key) -> Value? { state.withLock { $0.values[key] } }

  /// The value of a key, made by `make` if it is not known.
  package func value(for key: Key, make: () throws -> Value) rethrows -> Value {
    if let known = self[key] { return known }
    return store(try make(), for: key)
  }

  /// Stores a value that was made.
  /// - Returns: The value that other threads use: an earlier one, if there is one.
  @discardableResult
  package func store(_ value: Value, for key: Key) -> Value {
    state.withLock { state in
      state.madeCount += 1
      if let known = state.values[key] { return known }
      if state.values.count >= bound { state.values.removeAll() }
      state.values[key] = value
      return value
    }
  }
}
