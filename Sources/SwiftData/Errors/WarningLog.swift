import Foundation
import Synchronization

/// Writes warnings to standard error, about problems that no caller receives as an error.
package enum WarningLog {
  /// Receives the lines instead of standard error, in tests.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  private static let subjects = Mutex<Set<String>>([])

  package static func write(_ text: String) {
    if let receiver { return receiver(text) }
    StandardError.write("SwiftData: \(text)\n")
  }

  /// Writes a warning once in the life of the process.
  /// - Parameter subject: What it is about. It begins with the kind of the warning, because warnings of all kinds
  ///   are compared.
  package static func write(_ text: @autoclosure () -> String, onceFor subject: String) {
    if subjects.withLock({ $0.insert(subject).inserted }) { write(text()) }
  }
}
