import SwiftData
import Synchronization

extension WarningLog {
  /// The warnings that are written while the body runs.
  static func lines(of body: () throws -> Void) rethrows -> [String] {
    let lines = Mutex<[String]>([])
    try $receiver.withValue(
      { line in lines.withLock { $0.append(line) } }, operation: body)
    return lines.withLock { $0 }
  }
}
