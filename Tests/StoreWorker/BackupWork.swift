import Foundation
import OpenSwiftDataTestModels
import SwiftData

/// A backup by a process that dies before its end.
enum BackupWork {
  /// - Parameter step: `first` kills the process after the first pages, `last` after the last ones.
  static func run(_ store: URL, to copy: URL, until step: String) async throws {
    let container = try ModelContainer(
      for: Negative.self, configurations: ModelConfiguration(url: store))
    try await container.backup(to: copy) { progress in
      let isLast = progress.copiedBytes == progress.totalBytes
      guard step == "first" ? !isLast : isLast else { return }
      FileHandle.standardOutput.write(Data("dies\n".utf8))
      kill(getpid(), SIGKILL)
    }
  }
}
