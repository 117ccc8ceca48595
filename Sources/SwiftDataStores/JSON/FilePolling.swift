import Dispatch
import Foundation
import Synchronization

/// Calls a function again and again, often after something has happened and seldom otherwise.
///
/// The system's notices of writes differ from platform to platform and do not exist on network file
/// systems. Asking for the state of one file costs a microsecond.
final class FilePolling: Sendable {
  private static let shortest = Duration.milliseconds(50)
  private static let longest = Duration.milliseconds(500)

  private let queue = DispatchQueue(label: "SwiftData documents", qos: .utility)
  private let hasEnded = Atomic(false)
  /// - Returns: Whether something has happened.
  private let look: @Sendable () -> Bool

  init(_ look: @escaping @Sendable () -> Bool) { self.look = look }

  func begin() { schedule(after: FilePolling.shortest) }

  func end() { hasEnded.store(true, ordering: .relaxed) }

  private func schedule(after pause: Duration) {
    let milliseconds = Int(pause / .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self, !hasEnded.load(ordering: .relaxed) else { return }
      let next = look() ? FilePolling.shortest : min(pause * 1.25, FilePolling.longest)
      schedule(after: next)
    }
  }
}
