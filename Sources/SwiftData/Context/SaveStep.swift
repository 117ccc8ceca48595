/// The points of a save at which a test can stop it, to let another one run.
package enum SaveStep: String, CaseIterable, Sendable {
  /// Before any lock.
  case begun
  /// All stores are locked.
  case locked
  /// Everything is written and nothing is committed.
  case written
  /// Other contexts know of it.
  case announced
  /// One of several stores has committed, and another one has not.
  case committedInPart
  /// Everything is committed, and models do not show it yet.
  case committed

  /// Called at each point, on the thread of the save; never without the compilation condition
  /// `OPENSWIFTDATA_INVARIANTS`.
  @TaskLocal package static var reached: (@Sendable (SaveStep) -> Void)?

  static func reach(_ step: SaveStep) {
    #if OPENSWIFTDATA_INVARIANTS
      reached?(step)
    #endif
  }
}
