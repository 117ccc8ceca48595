import Foundation
import SwiftData

/// Texts of errors for the output of a command-line tool.
public enum ErrorSentence {
  /// What is wrong and what to do, without advice about containers, which a tool does not make.
  /// - Parameter error: An error of `StoreCheckup`, `StoreInspection` or `ModelSource`, or any
  ///   other.
  public static func text(_ error: any Error) -> String {
    (error as? SwiftDataError)?.explanation ?? error.localizedDescription
  }

  /// The text for an error of writing a file.
  /// - Parameters:
  ///   - error: The error of the write.
  ///   - path: The path of the file that could not be written.
  public static func text(_ error: any Error, writing path: String) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    return "\(path) can't be written: \(cause.localizedDescription)"
  }
}
