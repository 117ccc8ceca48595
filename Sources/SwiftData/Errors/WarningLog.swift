import Foundation

/// Writes warnings to standard error, about problems that no caller receives as an error.
package enum WarningLog {
  /// Receives the lines instead of standard error, in tests.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  package static func write(_ text: String) {
    if let receiver { return receiver(text) }
    FileHandle.standardError.write(Data("SwiftData: \(text)\n".utf8))
  }
}
