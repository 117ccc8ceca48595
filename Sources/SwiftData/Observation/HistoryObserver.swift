import Dispatch
public import Observation
import Synchronization

/// Tells that the history of a container's stores has new transactions of interest.
///
/// ```swift
/// let observer = try HistoryObserver(
///   observedModels: [Trip.self], authors: ["server"], modelContainer: container)
/// let events = observer.eventCounter
/// ```
///
/// It tells *that* something has changed: ``eventCounter`` grows, and what it was is asked with
/// ``ModelContext/fetchHistory(_:)``. Transactions of all contexts, containers and processes count. Between two
/// looks at the history any number of transactions is one event; what was deleted or never written before it
/// could be looked at counts as one too.
///
/// Where the observer was made on an actor, the counter changes there, else on a thread of its own. It ends with
/// its last reference.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose stores are observed.
  public final let modelContainer: ModelContainer

  /// The classes whose changes count, their subclasses included; all where there are none.
  public final let observedModels: [any PersistentModel.Type]

  /// The authors whose transactions count; all where there are none.
  public final let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let counter = Mutex(0)
  private let followers: [(history: any HistoryFollower, failures: FailureMemory)]
  private let queue = DispatchQueue(label: "SwiftData history observer")
  private let signals = Mutex<CommitSignals.Observation?>(nil)

  /// Observes from some places in the histories.
  ///
  /// - Parameters:
  ///   - historyTokens: Where to begin, by store identifier; now in stores that have none here.
  ///   - observedModels: The classes whose changes count; all where there are none.
  ///   - authors: The authors whose transactions count; all where there are none.
  ///   - modelContainer: The container whose stores are observed.
  ///   - isolation: Where the counter changes.
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the container lacks, or the store's error.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens ?? [:], observedModels, authors, modelContainer)
    start(isolation: isolation, looksAtOnce: historyTokens?.isEmpty == false)
  }

  private init(
    _ tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type],
    _ authors: Set<String>, _ container: ModelContainer
  ) throws {
    let coordinator = container.coordinator
    for model in models where !coordinator.knows(model._$descriptor) {
      throw coordinator.unknown(model._$descriptor)
    }
    modelContainer = container
    observedModels = models
    self.authors = authors
    let names = coordinator.schema.entities.map(\.name).filter { name in
      let descriptor = coordinator.modelType(forEntity: name)?._$descriptor
      return models.contains { descriptor?.isKind(of: $0._$descriptor) ?? false }
    }
    let interest = HistoryInterest(entities: models.isEmpty ? nil : Set(names), authors: authors)
    followers = try coordinator.ports.compactMap {
      try $0.historyFollower(after: tokens[$0.identifier], interest)
        .map { ($0, FailureMemory()) }
    }
  }

  /// How often new transactions of interest were seen.
  ///
  /// It counts once, too, where a store can be read no more, as after another container has migrated it: fetching
  /// the history throws the reason.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return counter.withLock { $0 }
  }

  private func start(isolation: isolated (any Actor)?, looksAtOnce: Bool) {
    let deliver = HistoryObserver.delivery(to: self, isolation: isolation)
    let observation = CommitSignals.observe(modelContainer) { [weak self] in
      self?.look(deliver)
    }
    signals.withLock { $0 = observation }
    if looksAtOnce { look(deliver) }
  }

  private func look(_ deliver: @escaping @Sendable () -> Void) {
    queue.async { [weak self] in
      guard let self else { return }
      let news = followers.map { history, failures in
        do {
          let isNew = try history.hasNews()
          failures.forget()
          return isNew
        } catch {
          // It is asked again after the next commit.
          return failures.isFirst()
        }
      }
      if news.contains(true) { deliver() }
    }
  }

  /// What counts an event: on the actor, where there is one.
  private static func delivery(
    to observer: HistoryObserver, isolation: (any Actor)?
  ) -> @Sendable () -> Void {
    guard let isolation else { return { [weak observer] in observer?.count() } }
    let actor = ActorReference(isolation)
    return { [weak observer] in
      guard let observer, let actor = actor.actor else { return }
      Task { await observer.count(on: actor) }
    }
  }

  private func count(on actor: isolated any Actor) { count() }

  private func count() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      counter.withLock { $0 += 1 }
    }
  }
}
