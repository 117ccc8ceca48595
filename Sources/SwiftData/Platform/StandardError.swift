import Foundation

/// Standard error of the process. What cannot be written is dropped: a full volume, a closed descriptor or a
/// reader that has gone is no reason to stop the program.
package enum StandardError {
  /// - Parameter handle: Another file, in tests.
  package static func write(_ text: String, to handle: FileHandle = .standardError) {
    // `write(_:)` stops the program after a failure.
    try? handle.write(contentsOf: Data(text.utf8))
  }
}
