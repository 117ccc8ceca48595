import Foundation
import SwiftData

/// What a tool prints of an error of this module.
public enum ErrorSentence {
  /// What is wrong and what to do, without the container that a tool does not make.
  /// - Parameter error: What a look at a file has thrown.
  public static func text(_ error: any Error) -> String {
    (error as? SwiftDataError)?.explanation ?? error.localizedDescription
  }

  /// The same of a file that could not be written.
  /// - Parameters:
  ///   - error: What writing has thrown.
  ///   - path: The file that was to be written.
  public static func text(_ error: any Error, writing path: String) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    return "\(path) can't be written: \(cause.localizedDescription)"
  }
}
