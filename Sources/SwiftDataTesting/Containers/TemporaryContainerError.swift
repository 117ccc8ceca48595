public import Foundation

/// What a temporary container can't do, and what to do in its place.
public struct TemporaryContainerError: Error, Sendable {
  /// The reason.
  public let reason: String

  init(_ reason: String) { self.reason = reason }
}

extension TemporaryContainerError: CustomStringConvertible, LocalizedError {
  /// The reason.
  public var description: String { "TemporaryContainer: \(reason)" }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
