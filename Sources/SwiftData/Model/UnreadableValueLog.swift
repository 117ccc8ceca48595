import Synchronization

/// Writes each unreadable value to standard error once.
enum UnreadableValueLog {
  private static let known = Mutex<Set<UnreadableValue>>([])
  private static let limit = 1000

  static func note(_ value: UnreadableValue) {
    let count = known.withLock { known -> Int? in
      guard known.count < limit, known.insert(value).inserted else { return nil }
      return known.count
    }
    guard let count else { return }
    WarningLog.write("\(value) See ModelContext.unreadableValues.")
    if count == limit { WarningLog.write("Further unreadable values are not reported here.") }
  }

  static func noteUnwritable(_ property: String) {
    WarningLog.write("\(property) has no setter, so setValue(forKey:to:) does nothing.")
  }
}
