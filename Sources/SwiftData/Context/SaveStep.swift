/// The points of a save at which a test can stop it, to let another save run.
package enum SaveStep: String, CaseIterable, Sendable {
  /// Before any lock.
  case begun
  /// All stores are locked.
  case locked
  /// Everything is written and nothing is committed.
  case written
  /// The changes are announced to other contexts.
  case announced
  /// One of several stores has committed, and another one has not.
  case partiallyCommitted
  /// Everything is committed; models do not show it yet.
  case committed

  /// Called at each point, on the thread of the save; only with the compilation condition
  /// `OPENSWIFTDATA_INVARIANTS`.
  @TaskLocal package static var reached: (@Sendable (SaveStep) -> Void)?

  static func reach(_ step: SaveStep) {
    #if OPENSWIFTDATA_INVARIANTS
      reached?(step)
    #endif
  }
}
