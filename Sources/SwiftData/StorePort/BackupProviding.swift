public import Foundation

/// A store that can copy itself while it is used, or says how else to back it up.
package protocol BackupProviding: DataStore, Sendable {
  /// Copies the store. Called on a thread that may block.
  /// - Parameters:
  ///   - url: The file of the copy, which must not exist.
  ///   - progress: Called after each step.
  ///   - isCancelled: Asked before the first step, between steps, and on another thread during long ones.
  /// - Throws: `CancellationError`, `SwiftDataError`, or the store's error; no copy is left then.
  func backup(
    to url: URL, progress: @escaping (BackupProgress) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> BackupSummary
}

/// How far a backup has come. Not in Apple's framework.
public struct BackupProgress: Hashable, Sendable {
  /// The number of bytes of the file that have been copied.
  public let copiedBytes: Int
  /// The number of bytes of the file. Large values in files of their own are not counted.
  public let totalBytes: Int

  package init(copiedBytes: Int, totalBytes: Int) {
    self.copiedBytes = copiedBytes
    self.totalBytes = totalBytes
  }
}

/// What a backup contains. Not in Apple's framework.
public struct BackupSummary: Hashable, Sendable {
  /// The file of the backup.
  public let url: URL
  /// The size of the file in bytes.
  public let byteCount: Int
  /// The number of rows in the copy, by table of the container's models; the same as in the store at that moment.
  public let rowCounts: [String: Int]
  /// The number of large values in files of their own.
  public let externalValueCount: Int
  /// The number of values whose file the store itself has lost.
  public let missingValueCount: Int

  package init(
    url: URL, byteCount: Int, rowCounts: [String: Int], externalValueCount: Int,
    missingValueCount: Int
  ) {
    self.url = url
    self.byteCount = byteCount
    self.rowCounts = rowCounts
    self.externalValueCount = externalValueCount
    self.missingValueCount = missingValueCount
  }
}
