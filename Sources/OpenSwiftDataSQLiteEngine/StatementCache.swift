import OpenSwiftDataCSQLite

/// The prepared statements of one connection, by their text.
///
/// A statement is lent to one user at a time; a second request for its text meanwhile prepares
/// another one. It returns, reset and without bindings, when its `Statement` is deinitialised.
/// Returning needs no look-up, so a text is hashed once per use.
final class StatementCache {
  /// A prepared statement, and whether it is idle.
  final class Entry {
    let handle: OpaquePointer
    fileprivate let sql: String
    fileprivate var isKept = false
    fileprivate var isIdle = false
    fileprivate var lastUse: UInt64 = 0
    /// The statement that was used after this one. A save runs its statements in the same order as
    /// the save before it.
    fileprivate var next: Entry?

    init(handle: OpaquePointer, sql: String) {
      self.handle = handle
      self.sql = sql
    }
  }

  private var entries: [String: Entry] = [:]
  /// The entry that was used last. It is often requested again, or the one that followed it before.
  /// Equal texts mostly share their storage, so comparing them costs less than hashing.
  private var last: Entry?
  private var clock: UInt64 = 0
  private var isClosed = false
  /// Whether SQLite has prepared a statement again since the last check: the tables may have
  /// changed.
  var hasPreparedAgain = false
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  func take(_ sql: String) -> Entry? {
    guard let entry = expected(sql) ?? entries[sql], entry.isIdle else { return nil }
    entry.isIdle = false
    if last !== entry {
      last?.next = entry
      last = entry
    }
    return entry
  }

  private func expected(_ sql: String) -> Entry? {
    guard let last else { return nil }
    if last.sql == sql { return last }
    return last.next.flatMap { $0.sql == sql ? $0 : nil }
  }

  /// Adds a new statement as lent; does nothing if the cache is full of lent statements.
  func adopt(_ entry: Entry) {
    guard !isClosed, capacity > 0, entries[entry.sql] == nil else { return }
    if entries.count >= capacity { evictOldest() }
    guard entries.count < capacity else { return }
    entries[entry.sql] = entry
    entry.isKept = true
  }

  func giveBack(_ entry: Entry) {
    if sqlite3_stmt_status(entry.handle, SQLITE_STMTSTATUS_REPREPARE, 1) > 0 {
      hasPreparedAgain = true
    }
    guard !isClosed, entry.isKept else {
      sqlite3_finalize(entry.handle)
      return
    }
    sqlite3_reset(entry.handle)
    sqlite3_clear_bindings(entry.handle)
    clock += 1
    entry.lastUse = clock
    entry.isIdle = true
  }

  /// Finalises idle statements; statements in use are finalised when they return.
  func close() {
    isClosed = true
    for entry in entries.values {
      entry.next = nil
      if entry.isIdle { sqlite3_finalize(entry.handle) }
    }
    entries.removeAll()
    last = nil
  }

  var idleCount: Int { entries.values.count(where: \.isIdle) }

  private func evictOldest() {
    let idle = entries.values.lazy.filter(\.isIdle)
    guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
    sqlite3_finalize(oldest.handle)
    entries.removeValue(forKey: oldest.sql)
    if last === oldest { last = nil }
    oldest.next = nil
    for entry in entries.values where entry.next === oldest { entry.next = nil }
  }
}
