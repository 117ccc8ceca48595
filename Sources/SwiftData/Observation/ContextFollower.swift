/// A query that wants to know of changes.
protocol FollowingQuery: AnyObject {
  var interest: QueryInterest { get }

  func handle(_ event: LiveQueryState.Event)
  func handle(_ concern: QueryInterest.Concern)
}

/// Tells the live queries of one context what changes in it, and wakes them on its actor.
///
/// 1. Edits, saves, rollbacks and what other contexts, containers and processes have saved are noted as
///    `TouchedModels`.
/// 2. The first of a burst wakes the pump: a job on the actor that the queries were made on. Where there is
///    none, the end of a save or of `processPendingChanges` takes its place, and each read.
/// 3. The job asks each query whether it is concerned, and lets those that are answer again.
///
/// It watches the context as long as there are queries. Used on the thread of the context only, but for the
/// pump.
final class ContextFollower: EditWatcher {
  private weak var core: ContextCore?
  private var queries: [Followed] = []
  private var touched = TouchedModels()
  private var isAwake = false
  private var pump: Signals.Registration?
  /// What wakes the pump, and sequences that wait. It is called from other threads too.
  let signals = Signals()
  /// Keeps the files of the stores watched.
  private var remote: RemoteObservation?

  /// Queries live as long as who observes them.
  private struct Followed {
    weak var query: (any FollowingQuery)?
  }

  private init(_ context: ModelContext) {
    core = context.core
    remote = context.container.observeRemoteChanges()
  }

  /// The follower of a context, made for its first query.
  static func of(
    _ context: ModelContext, isolation: isolated (any Actor)?
  ) -> ContextFollower {
    if let known = context.core.watchers.first(ContextFollower.self) { return known }
    let follower = ContextFollower(context)
    if let wake = FollowerPump.wake(follower, context, isolation: isolation) {
      follower.pump = follower.signals.add(wake)
    }
    context.core.externalChanges.followerNotification = { [signals = follower.signals] in
      signals.fire()
    }
    context.core.watchers.add(follower)
    return follower
  }

  func add(_ query: any FollowingQuery) { queries.append(Followed(query: query)) }

  // MARK: Waking

  /// Asks for a flush soon.
  func wake() {
    if isAwake { return }
    isAwake = true
    signals.fire()
  }

  /// Lets the queries that changes concern answer again.
  func flush() {
    guard let core, core.face != nil else { return }
    // What is noted until the queries answer needs no other job.
    isAwake = true
    core.applyExternalChanges()
    distribute()
    isAwake = false
    for followed in queries { followed.query?.handle(.woken) }
    queries.removeAll { $0.query == nil }
    if queries.isEmpty { end() }
  }

  /// Tells the queries what they have to know before one of them is read.
  func distribute() {
    if touched.isEmpty { return }
    let changes = touched
    touched = TouchedModels()
    for followed in queries {
      guard let query = followed.query, let concern = query.interest.concern(in: changes) else {
        continue
      }
      query.handle(concern)
    }
  }

  /// Before a read.
  func catchUp() {
    // What is applied now is distributed now.
    isAwake = true
    core?.applyExternalChanges()
    isAwake = false
    distribute()
  }

  private func end() {
    core?.externalChanges.followerNotification = nil
    core?.watchers.remove(self)
    pump = nil
    remote = nil
  }

  // MARK: EditWatcher

  var wantsEdits: Bool { true }
  var wantsSavedChanges: Bool { true }

  func willEdit(_ storage: _ModelStorage, slot: Int) {
    touched.insert(storage, slot: slot)
    wake()
  }

  func willArrive(_ storage: _ModelStorage) {
    touched.insertComingOrGoing(storage)
    wake()
  }

  func willDepart(_ storage: _ModelStorage) {
    touched.insertComingOrGoing(storage)
    wake()
  }

  func didSave(_ saved: SavedChanges?) {
    if let core, let saved {
      touched.insert(savedByContext: saved, in: core.coordinator)
    } else {
      // What the save changed in memory was taken back.
      touched.insertEverything()
    }
    if !touched.isEmpty { wake() }
    if pump == nil { flush() }
  }

  func didRollBack() {
    touched.insertEverything()
    wake()
  }

  func didApply(_ saved: SavedChanges, lost: [_ModelStorage]) {
    guard let core else { return }
    for storage in lost { touched.insertComingOrGoing(storage) }
    touched.insert(savedByOthers: saved, in: core.coordinator)
    wake()
  }

  func didProcessPendingChanges() {
    if pump == nil { flush() }
  }

  func willClose(losing changes: ChangeTracker) { end() }
}
