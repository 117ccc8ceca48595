import Foundation

/// Lines on standard error about what no caller is told.
package enum WarningLog {
  /// Receives the lines in place of standard error, in tests.
  @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

  package static func write(_ text: String) {
    if let receiver { return receiver(text) }
    FileHandle.standardError.write(Data("SwiftData: \(text)\n".utf8))
  }
}
