import Foundation
import Synchronization

/// Unreadable values as lines on standard error, each once.
enum UnreadableValueLog {
  private static let known = Mutex<Set<UnreadableValue>>([])
  private static let limit = 1000

  static func note(_ value: UnreadableValue) {
    let count = known.withLock { known -> Int? in
      guard known.count < limit, known.insert(value).inserted else { return nil }
      return known.count
    }
    guard let count else { return }
    write("\(value) See ModelContext.unreadableValues.")
    if count == limit { write("Further unreadable values are not reported here.") }
  }

  static func noteUnwritable(_ property: String) {
    write("\(property) has no setter, so setValue(forKey:to:) does nothing.")
  }

  private static func write(_ text: String) {
    FileHandle.standardError.write(Data("SwiftData: \(text)\n".utf8))
  }
}
