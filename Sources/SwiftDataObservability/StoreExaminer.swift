#if Observability
  import Dispatch
  import SwiftData
  import Synchronization

  /// What a monitor knows of its containers: the statements of single models, and plans.
  final class StoreExaminer: Sendable {
    private struct State {
      var containers: [WeakContainer] = []
      /// By name of the store and text.
      var reads: [String: [String: KnownRead]] = [:]
      var lastWarnings: [String: ContinuousClock.Instant] = [:]
    }

    /// A statement that reads a single model of a store, and the models of that store's container.
    struct KnownRead: Sendable {
      let read: FaultRead
      let schema: Schema

      func advice(count: Int) -> String {
        FaultAdvice(read: read, count: count, schema: schema).text
      }
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

    func attach(to container: ModelContainer) {
      var reads: [String: [String: KnownRead]] = [:]
      for store in container.stores {
        guard let engine = (store as? any PortProviding)?.port as? RelationalStore else { continue }
        let own = engine.faultReads.mapValues { KnownRead(read: $0, schema: container.schema) }
        reads[engine.name, default: [:]].merge(own) { first, _ in first }
      }
      state.withLock { state in
        state.containers.removeAll { $0.container == nil }
        state.containers.append(WeakContainer(container: container))
        for (name, own) in reads {
          state.reads[name, default: [:]].merge(own) { _, latest in latest }
        }
      }
    }

    func faultRead(_ sql: String, in store: String) -> KnownRead? {
      state.withLock { $0.reads[store]?[sql] }
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
      of sql: String, in store: String, _ body: @escaping @Sendable ([String]?) -> Void
    ) {
      guard mayWarn(about: "slow \(store) \(sql)") else { return }
      let containers = state.withLock { $0.containers.compactMap(\.container) }
      let known = containers.lazy.flatMap(\.stores).compactMap { $0 as? any PlanProviding }
        .first { $0.configuration.name == store }
      guard let known else { return body(nil) }
      queue.async { [weak known] in body(try? known?.queryPlan(of: sql)) }
    }
  }
#endif
