public import Observation
import Synchronization

/// The progress of a migration, for an app to show while it creates its container.
///
/// ```swift
/// let progress = MigrationProgress()
/// let container = try ModelContainer(
///   for: Schema(versionedSchema: TripsV2.self), migrationPlan: TripsPlan.self,
///   configurations: [], migrationProgress: progress)
/// ```
///
/// Create the container on another thread than the one that shows the progress. The properties may
/// be read from any thread, and are observable; observers are called on the thread that migrates.
/// If no store has to be migrated, only `fraction` and `isFinished` change. Not in Apple's
/// framework.
public final class MigrationProgress: Observable, Sendable {
  fileprivate struct State {
    var fraction = 0.0
    var stage = ""
    var stageIndex = 0
    var stageCount = 0
    var entity: String?
    var rows = 0
    var totalRows = 0
    var isFinished = false
    /// The stores of the container are opened one after the other, with equal parts of the whole.
    var store = 0
    var storeCount = 1
    /// The part of the stage for the change of its tables; the rest is for code of the app.
    var change = 0.0...1.0
  }

  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())

  /// Creates a progress for one container.
  public init() {}

  /// The part that is done, from 0 to 1; it never decreases.
  public var fraction: Double { read(\.fraction, \.fraction) }

  /// The versions of the current stage: `1.0.0 to 2.0.0`; empty before the first one.
  public var stage: String { read(\.stage, \.stage) }

  /// The number of the current stage, starting at 1; 0 before the first one.
  public var stageIndex: Int { read(\.stageIndex, \.stageIndex) }

  /// The number of stages of the current store.
  public var stageCount: Int { read(\.stageCount, \.stageCount) }

  /// The entity whose rows are changing; `nil` while code of the app runs.
  public var entity: String? { read(\.entity, \.entity) }

  /// How many rows of the current stage have changed.
  public var rows: Int { read(\.rows, \.rows) }

  /// How many rows change in the current stage.
  public var totalRows: Int { read(\.totalRows, \.totalRows) }

  /// Whether all stores are open.
  public var isFinished: Bool { read(\.isFinished, \.isFinished) }

  private func read<T>(
    _ keyPath: KeyPath<MigrationProgress, T>, _ place: (State) -> T
  ) -> T {
    registrar.access(self, keyPath: keyPath)
    return place(state.withLock { $0 })
  }

  // MARK: The migration

  func begin(store: Int, of count: Int) {
    update { state in
      (state.store, state.storeCount) = (store, max(count, 1))
      state.advance(toPartOfStore: 0)
    }
  }

  func begin(steps: Int) { update { $0.stageCount = steps } }

  /// - Parameters:
  ///   - codeBefore: Whether code of the app runs before the change of the tables.
  ///   - codeAfter: Whether code runs after it.
  func begin(step: Int, named name: String, codeBefore: Bool, codeAfter: Bool) {
    update { state in
      (state.stage, state.stageIndex) = (name, step + 1)
      (state.entity, state.rows, state.totalRows) = (nil, 0, 0)
      state.change = (codeBefore ? 0.4 : 0)...(codeAfter ? 0.6 : 1)
      state.advance(toPartOfStage: 0)
    }
  }

  /// Called while the tables of the stage change.
  /// - Parameter rows: How many rows have changed so far.
  func note(entity: String?, rows: Int, of totalRows: Int) {
    update { state in
      (state.entity, state.rows, state.totalRows) = (entity, rows, totalRows)
      let part = totalRows > 0 ? min(Double(rows) / Double(totalRows), 1) : 0
      let (start, end) = (state.change.lowerBound, state.change.upperBound)
      state.advance(toPartOfStage: start + (end - start) * part)
    }
  }

  /// Called after the tables have changed.
  func endChange() {
    update { state in
      state.entity = nil
      state.advance(toPartOfStage: state.change.upperBound)
    }
  }

  func endStep() { update { $0.advance(toPartOfStage: 1) } }

  func finish() {
    update { state in
      (state.fraction, state.entity, state.isFinished) = (1, nil, true)
    }
  }

  /// One thread migrates; other threads only read.
  private func update(_ change: (inout State) -> Void) {
    let old = state.withLock { $0 }
    var new = old
    change(&new)
    let place = new
    var finish: [() -> Void] = []
    func announce<T: Equatable>(
      _ keyPath: KeyPath<MigrationProgress, T>, _ value: (State) -> T
    ) {
      guard value(old) != value(place) else { return }
      registrar.willSet(self, keyPath: keyPath)
      finish.append { self.registrar.didSet(self, keyPath: keyPath) }
    }
    announce(\.fraction, \.fraction)
    announce(\.stage, \.stage)
    announce(\.stageIndex, \.stageIndex)
    announce(\.stageCount, \.stageCount)
    announce(\.entity, \.entity)
    announce(\.rows, \.rows)
    announce(\.totalRows, \.totalRows)
    announce(\.isFinished, \.isFinished)
    state.withLock { $0 = place }
    for body in finish { body() }
  }
}

extension MigrationProgress.State {
  fileprivate mutating func advance(toPartOfStage part: Double) {
    advance(toPartOfStore: (Double(stageIndex - 1) + part) / Double(max(stageCount, 1)))
  }

  /// The last hundredth is left for the commit of the last store.
  fileprivate mutating func advance(toPartOfStore part: Double) {
    fraction = max(fraction, min((Double(store) + part) / Double(storeCount), 1) * 0.99)
  }
}
