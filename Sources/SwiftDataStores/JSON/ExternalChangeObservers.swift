import SwiftData
import Synchronization

/// The observers of a file. The file is looked at while there are any.
final class ExternalChangeObservers: Sendable {
  typealias Report = @Sendable (DataStoreExternalChanges) -> Void

  private let state = Mutex(State())

  private struct State {
    var reports: [ObjectIdentifier: Report] = [:]
    var polling: FilePolling?
    var hasFailed = false
  }

  /// Whether the file could not be read the last time.
  var hasFailed: Bool {
    get { state.withLock(\.hasFailed) }
    set { state.withLock { $0.hasFailed = newValue } }
  }

  /// - Parameter look: Looks at the file.
  /// - Returns: Ends the observation when it is released.
  func add(_ report: @escaping Report, look: @escaping @Sendable () -> Bool) -> Observation {
    let observation = Observation(self)
    state.withLock { state in
      state.reports[ObjectIdentifier(observation)] = report
      guard state.polling == nil else { return }
      let polling = FilePolling(look)
      polling.begin()
      state.polling = polling
    }
    return observation
  }

  func report(_ changes: DataStoreExternalChanges) {
    for report in state.withLock({ Array($0.reports.values) }) { report(changes) }
  }

  fileprivate func remove(_ key: ObjectIdentifier) {
    state.withLock { state in
      state.reports[key] = nil
      guard state.reports.isEmpty else { return }
      state.polling?.end()
      state.polling = nil
    }
  }

  final class Observation: Sendable {
    private let observers: ExternalChangeObservers

    fileprivate init(_ observers: ExternalChangeObservers) { self.observers = observers }

    deinit { observers.remove(ObjectIdentifier(self)) }
  }
}
