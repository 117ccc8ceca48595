import Dispatch
public import Observation
import Synchronization

/// Reports that the history of a container's stores has new transactions of interest.
///
/// ```swift
/// let observer = try HistoryObserver(
///   observedModels: [Trip.self], authors: ["server"], modelContainer: container)
/// let events = observer.eventCounter
/// ```
///
/// It reports *that* something has changed: ``eventCounter`` increases.
/// ``ModelContext/fetchHistory(_:)`` returns what was changed. Transactions of all contexts,
/// containers and processes count. All transactions between two checks of the history are one
/// event. History that was deleted before it was checked, or never written, counts as one event
/// too.
///
/// If the observer was created on an actor, the counter changes there, else on a separate thread.
/// It ends when its last reference is released.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose stores are observed.
  public final let modelContainer: ModelContainer

  /// The classes whose changes count, including their subclasses; empty for all.
  public final let observedModels: [any PersistentModel.Type]

  /// The authors whose transactions count; empty for all.
  public final let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let counter = Mutex(0)
  private let followers: [(history: any HistoryFollower, failures: FailureFlag)]
  private let queue = DispatchQueue(label: "SwiftData history observer")
  /// Whether a look is in the queue that has not begun.
  private let isLookPending = Mutex(false)
  private let observation = Mutex<CommitObservation?>(nil)

  /// Observes the histories from given positions.
  ///
  /// - Parameters:
  ///   - historyTokens: The start positions, by store identifier; stores without a token start now.
  ///   - observedModels: The classes whose changes count; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - modelContainer: The container whose stores are observed.
  ///   - isolation: The actor on which the counter changes.
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the container lacks, or the store's
  ///   error.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens ?? [:], observedModels, authors, modelContainer)
    start(isolation: isolation)
  }

  private init(
    _ tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type],
    _ authors: Set<String>, _ container: ModelContainer
  ) throws {
    let coordinator = container.coordinator
    for model in models where !coordinator.contains(model) {
      throw coordinator.unknown(model)
    }
    modelContainer = container
    observedModels = models
    self.authors = authors
    let names = coordinator.schema.entities.map(\.name).filter { name in
      let descriptor = coordinator.modelType(forEntity: name)?._$descriptor
      return models.contains { descriptor?.isKind(of: $0._$descriptor) ?? false }
    }
    let interest = HistoryFilter(entities: models.isEmpty ? nil : Set(names), authors: authors)
    followers = try coordinator.ports.compactMap {
      try $0.historyFollower(after: tokens[$0.identifier], interest)
        .map { ($0, FailureFlag()) }
    }
  }

  /// How often new transactions of interest were detected.
  ///
  /// It also increases once if a store can no longer be read, for example after another container
  /// has migrated it: then fetching the history throws the reason.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return counter.withLock { $0 }
  }

  private func start(isolation: isolated (any Actor)?) {
    let executor = isolation.map(ContextExecutor.init)
    let deliver: @Sendable () -> Void = { [weak self] in
      if let executor {
        executor.schedule { [weak self] in self?.count() }
      } else {
        self?.count()
      }
    }
    let observation = modelContainer.observeCommits { [weak self] in
      self?.look(deliver)
    }
    self.observation.withLock { $0 = observation }
    // For transactions after the tokens, and for commits from before the observation existed.
    look(deliver)
  }

  /// Commits may be faster than looks. A look that has not begun will see what is committed before it.
  private func look(_ deliver: @escaping @Sendable () -> Void) {
    let isPending = isLookPending.withLock { isPending in
      defer { isPending = true }
      return isPending
    }
    if isPending { return }
    queue.async { [weak self] in
      guard let self else { return }
      isLookPending.withLock { $0 = false }
      let news = followers.map { history, failures in
        do {
          let isNew = try history.hasNewTransactions()
          failures.forget()
          return isNew
        } catch {
          // The history is checked again after the next commit.
          return failures.isFirst()
        }
      }
      if news.contains(true) { deliver() }
    }
  }

  private func count() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      counter.withLock { $0 += 1 }
    }
  }
}
