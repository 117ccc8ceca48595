import CSQLite

/// The idle prepared statements of one connection, by their text.
///
/// A statement that is in use is not in here, so asking for its text again prepares a second one.
/// It comes back, reset and without bindings, when its `Statement` dies.
final class StatementCache {
  private var idle: [String: (handle: OpaquePointer, lastUse: UInt64)] = [:]
  private var clock: UInt64 = 0
  private var isClosed = false
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  func take(_ sql: String) -> OpaquePointer? {
    idle.removeValue(forKey: sql)?.handle
  }

  func giveBack(_ handle: OpaquePointer, sql: String) {
    guard !isClosed, capacity > 0, idle[sql] == nil else {
      sqlite3_finalize(handle)
      return
    }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    if idle.count >= capacity { evictOldest() }
    clock += 1
    idle[sql] = (handle, clock)
  }

  /// Finalises what is idle; statements still in use finalise themselves.
  func close() {
    isClosed = true
    for entry in idle.values { sqlite3_finalize(entry.handle) }
    idle.removeAll()
  }

  var count: Int { idle.count }

  private func evictOldest() {
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    sqlite3_finalize(oldest.value.handle)
    idle.removeValue(forKey: oldest.key)
  }
}
