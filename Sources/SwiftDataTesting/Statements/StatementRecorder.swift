public import SwiftData
import Synchronization

/// Records the statements of a store while an expectation asks for them, and injects failures.
///
/// A `TemporaryContainer` has one. Give one to the stores of your own containers:
///
/// ```swift
/// let recorder = StatementRecorder()
/// let configuration = recorder.recording(ModelConfiguration(isStoredInMemoryOnly: true))
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// ```
///
/// Stores that share a recorder are counted together. Nothing is kept while no expectation runs.
public final class StatementRecorder: Sendable {
  private struct State {
    var next = 0
    /// By recording, so that several expectations may be open.
    var recordings: [Int: Recording] = [:]
  }

  private let state = Mutex(State())
  let faults = FaultInjector()

  /// Creates a recorder.
  public init() {}

  /// A copy of a configuration whose store this recorder records, for example one of PostgreSQL.
  ///
  /// A log that the configuration has still receives each event. Failures are injected into default
  /// stores only.
  /// - Parameter configuration: A configuration that no container has opened yet.
  public func recording<C: StatementLogging>(_ configuration: C) -> C {
    var recorded = configuration
    let known = configuration.statementLog
    var log = StatementLog(passingTo: known) { self.note($0) }
    log.noteFault = { read in
      self.note(read)
      known?.noteFault?(read)
    }
    log.recorder = self
    recorded.statementLog = log
    return recorded
  }

  /// A copy of a configuration whose store this recorder records, and into which failures can be
  /// injected.
  ///
  /// A log that the configuration has still receives each event.
  /// - Parameter configuration: A configuration that no container has opened yet.
  public func recording(_ configuration: ModelConfiguration) -> ModelConfiguration {
    func logging<C: StatementLogging>(_ configuration: C) -> C { recording(configuration) }
    var recorded = logging(configuration)
    var instruments = configuration.instruments ?? StoreInstruments()
    instruments.recorder = self
    instruments.interceptor = faults
    recorded.instruments = instruments
    return recorded
  }

  private func note(_ event: StatementLog.Event) {
    state.withLock { state in
      // The view of the keys shares the dictionary, so that each change would copy all recordings.
      for number in Array(state.recordings.keys) {
        switch event {
        case .statement(let statement):
          state.recordings[number]?.statements.append(RecordedStatement(statement))
        case .inMemory(let work): state.recordings[number]?.inMemory.append(work)
        case .wait, .checkpoint, .repetition: break
        }
      }
    }
  }

  private func note(_ read: FaultRead) {
    state.withLock { state in
      for number in Array(state.recordings.keys) { state.recordings[number]?.faults.append(read) }
    }
  }

  func begin() -> Int {
    state.withLock { state in
      state.next += 1
      state.recordings[state.next] = Recording()
      return state.next
    }
  }

  /// Ends a recording; a second call returns nothing.
  @discardableResult
  func end(_ number: Int) -> Recording {
    state.withLock { $0.recordings.removeValue(forKey: number) } ?? Recording()
  }
}

/// What the stores of a recorder did during an expectation.
struct Recording: Sendable {
  var statements: [RecordedStatement] = []
  var inMemory: [StatementLog.InMemoryWork] = []
  var faults: [FaultRead] = []

  mutating func append(_ other: Recording) {
    statements += other.statements
    inMemory += other.inMemory
    faults += other.faults
  }
}

extension TestedContainer {
  /// The recording of a body.
  func recording<R>(
    expecting expected: String, at place: CallSite, _ body: () throws -> R
  ) throws -> (result: R, recording: Recording) {
    let open = OpenRecording(try recorders(expecting: expected, at: place))
    defer { open.end() }
    let result = try body()
    return (result, open.end())
  }

  func recording<R>(
    expecting expected: String, at place: CallSite, isolation: isolated (any Actor)?,
    _ body: () async throws -> R
  ) async throws -> (result: R, recording: Recording) {
    let open = OpenRecording(try recorders(expecting: expected, at: place))
    defer { open.end() }
    let result = try await body()
    return (result, open.end())
  }
}

/// A recording of each recorder of a container.
private struct OpenRecording {
  private let parts: [(recorder: StatementRecorder, number: Int)]

  init(_ recorders: [StatementRecorder]) {
    parts = recorders.map { ($0, $0.begin()) }
  }

  @discardableResult
  func end() -> Recording {
    var recording = Recording()
    for part in parts { recording.append(part.recorder.end(part.number)) }
    return recording
  }
}
