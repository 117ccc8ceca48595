#if Observability
  import Dispatch
  import SwiftData
  import Synchronization

  /// What a monitor knows of its containers, for plans, and which warnings it has given.
  final class StoreExaminer: Sendable {
    private struct State {
      var containers: [WeakContainer] = []
      var lastWarnings: [String: ContinuousClock.Instant] = [:]
    }

    private struct WeakContainer {
      weak var container: ModelContainer?
    }

    private let state = Mutex(State())
    private let interval: Duration
    private let queue = DispatchQueue(label: "SwiftDataObservability.StoreExaminer")

    /// The warnings that are remembered. Texts of statements are few; this bounds what a program
    /// with computed predicates keeps.
    private static let warningLimit = 1000

    init(interval: Duration) { self.interval = interval }

    /// - Returns: Whether a store of the container has a log of this monitor.
    func attach(to container: ModelContainer) -> Bool {
      state.withLock { state in
        state.containers.removeAll { $0.container == nil }
        state.containers.append(WeakContainer(container: container))
      }
      return container.stores.contains { MonitoredLog.log(of: $0)?.examiner === self }
    }

    /// Whether a warning about a subject is due; counts as one.
    func mayWarn(about subject: String) -> Bool {
      state.withLock { state in
        let now = ContinuousClock.now
        if let last = state.lastWarnings[subject], now - last < interval { return false }
        if state.lastWarnings.count >= StoreExaminer.warningLimit {
          state.lastWarnings.removeAll(keepingCapacity: true)
        }
        state.lastWarnings[subject] = now
        return true
      }
    }

    /// Reads the plan of a slow statement on another thread, because the caller uses the store.
    /// - Parameter body: Called with `nil` for a store without plans; not called if the statement had
    ///   a warning recently.
    func plan(
      of sql: String, in log: MonitoredLog, _ body: @escaping @Sendable ([String]?) -> Void
    ) {
      guard mayWarn(about: "slow \(log.store) \(sql)") else { return }
      let containers = state.withLock { $0.containers.compactMap(\.container) }
      let known = containers.lazy.flatMap(\.stores).first { MonitoredLog.log(of: $0) === log }
      guard let known = known as? any PlanProviding else { return body(nil) }
      queue.async { [weak known] in body(try? known?.queryPlan(of: sql)) }
    }
  }
#endif
