/// A query that is notified of changes.
protocol ObservingQuery: AnyObject {
  var interest: QueryInterest { get }

  func handle(_ event: LiveQueryState.Event)
  func handle(_ concern: QueryInterest.Concern)
  /// Notifies the observers at the next `woken`, although nothing changes then.
  func notifyAgain()
}

/// Notifies the live queries of one context of changes in it, on the actor of the context.
///
/// 1. Edits, saves, rollbacks, and changes saved by other contexts, containers and processes
///    (`RemoteCommitHub`) are recorded as `ChangedModels`.
/// 2. The first of a burst fires `signals`, which schedules a job on the actor that the queries were
///    created on. Without an actor, the end of a save or of `processPendingChanges` replaces the
///    job, and so does each read.
/// 3. The job finds the queries that the changes concern, and makes them update their results.
///
/// It watches the context as long as there are queries. Used on the thread of the context only,
/// except for `signals`.
final class LiveQueryDispatcher: EditWatcher {
  private let context: ContextReference
  private let externalChanges: ExternalChangeApplication
  private let watchers: EditWatchers
  private let coordinator: any StoreCoordinator
  private var queries: [Followed] = []
  private var touched = ChangedModels()
  private var isScheduled = false
  /// Fired when the job is needed: by an edit, or on any thread by a save of another writer. The
  /// listeners are the job, and sequences that wait.
  let signals = Signals()
  /// Schedules the job; `nil` if no actor is known.
  private var job: Signals.Registration?
  /// Fires `signals` when other writers have saved.
  private var arrivals: Signals.Registration?
  /// Keeps the files of the stores watched.
  private var remoteCommits: RemoteObservation?

  /// Queries live as long as their observers.
  private struct Followed {
    weak var query: (any ObservingQuery)?
  }

  private init(_ context: ModelContext) {
    self.context = ContextReference(context)
    externalChanges = context.core.externalChanges
    watchers = context.core.watchers
    coordinator = context.core.coordinator
    remoteCommits = context.container.observeRemoteChanges()
  }

  /// The dispatcher of a context, created for its first query.
  static func of(
    _ context: ModelContext, isolation: isolated (any Actor)?
  ) -> LiveQueryDispatcher {
    if let known = context.core.watchers.first(LiveQueryDispatcher.self) { return known }
    let dispatcher = LiveQueryDispatcher(context)
    if let executor = isolation.map(ContextExecutor.init) ?? context.core.isolation.current {
      let reference = Reference(dispatcher)
      dispatcher.job = dispatcher.signals.add {
        executor.schedule { reference.dispatcher?.flush() }
      }
    }
    dispatcher.watchers.add(dispatcher)
    let feed = dispatcher.externalChanges.feed
    dispatcher.arrivals = feed.arrivals.add { [signals = dispatcher.signals] in signals.fire() }
    // Changes that arrived earlier are not announced again. The first read of the query takes them,
    // but not in a transaction for reading.
    if context.core.stores.isReadingSnapshot, feed.hasArrivals { dispatcher.signals.fire() }
    return dispatcher
  }

  /// Used on the actor of the context only.
  private final class Reference: @unchecked Sendable {
    private(set) weak var dispatcher: LiveQueryDispatcher?

    init(_ dispatcher: LiveQueryDispatcher) { self.dispatcher = dispatcher }
  }

  func add(_ query: any ObservingQuery) { queries.append(Followed(query: query)) }

  // MARK: Waking

  /// Requests a later flush.
  func wake() {
    if isScheduled { return }
    isScheduled = true
    signals.fire()
  }

  /// Makes the queries that changes concern update their results.
  func flush() {
    // The context may be released on another thread, which then closes its parts.
    guard let context = context.context else { return }
    defer { withExtendedLifetime(context) {} }
    // Changes recorded until the queries are updated need no other job.
    isScheduled = true
    externalChanges.applyNew()
    distribute()
    isScheduled = false
    for followed in queries { followed.query?.handle(.woken) }
    queries.removeAll { $0.query == nil }
    if queries.isEmpty { end() }
  }

  /// Notifies the queries of changes, before one of them is read.
  func distribute() {
    if touched.isEmpty { return }
    let changes = touched
    touched = ChangedModels()
    for followed in queries {
      guard let query = followed.query, let concern = query.interest.concern(in: changes) else {
        continue
      }
      query.handle(concern)
    }
  }

  /// Called before a read.
  func catchUp() {
    // Changes that are applied now are distributed now.
    isScheduled = true
    externalChanges.applyNew()
    isScheduled = false
    distribute()
  }

  private func end() {
    watchers.remove(self)
    job = nil
    arrivals = nil
    remoteCommits = nil
  }

  // MARK: EditWatcher

  var wantsEdits: Bool { true }
  var wantsSavedChanges: Bool { true }

  func willEdit(_ storage: _ModelStorage, slot: Int) {
    touched.insert(storage, slot: slot)
    wake()
  }

  func willInsert(_ storage: _ModelStorage) {
    touched.insertInsertedOrDeleted(storage)
    wake()
  }

  func willDelete(_ storage: _ModelStorage) {
    touched.insertInsertedOrDeleted(storage)
    wake()
  }

  func didSave(_ saved: SavedChanges?) {
    if let saved { touched.insert(savedByContext: saved, in: coordinator) }
    if !touched.isEmpty { wake() }
    if job == nil { flush() }
  }

  func willRollBack(_ changes: ChangeTracker) {
    if changes.isEmpty { return }
    touched.insert(discarded: changes)
    wake()
  }

  func didUndo(_ saved: SavedChanges, of models: [_ModelStorage]) {
    touched.insert(undone: saved, of: models, in: coordinator)
    wake()
  }

  func didApply(_ saved: SavedChanges, lost: [_ModelStorage]) {
    for storage in lost { touched.insertInsertedOrDeleted(storage) }
    touched.insert(savedExternally: saved, in: coordinator)
    wake()
    // An observer that is not registered yet may have read properties that have changed now.
    guard ObservationProbe.isInScope() else { return }
    for followed in queries { followed.query?.notifyAgain() }
  }

  func didChangeReferences(of storage: _ModelStorage, slot: Int) {
    touched.insert(storage, slot: slot)
    wake()
  }

  func didProcessPendingChanges() {
    if job == nil { flush() }
  }

  func willClose(losing changes: ChangeTracker) { end() }
}
