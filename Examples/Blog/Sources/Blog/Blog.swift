import SwiftData
import Synchronization

/// One container, several contexts that read, and one context that writes.
///
/// Each context is on an actor with a thread of its own while it works, so that reads use all cores. The
/// writer is one actor, because an SQLite file has one writer at a time. Closures run on the actor; only
/// `Sendable` values leave it, so no model does.
final class Blog: Sendable {
  let container: ModelContainer
  private let readers: [BlogReader]
  private let writer: BlogWriter
  private let turn = Atomic(0)

  init(_ container: ModelContainer, readers: Int) {
    self.container = container
    self.readers = (0..<max(readers, 1)).map { _ in BlogReader(modelContainer: container) }
    writer = BlogWriter(modelContainer: container)
  }

  /// Runs reads that see one state of the store.
  func read<R: Sendable>(_ body: @Sendable (ModelContext) throws -> R) async throws -> R {
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return try await readers[abs(number % readers.count)].read(body)
  }

  /// Runs reads and changes in one transaction, and saves them; a thrown error undoes all of them.
  func write<R: Sendable>(_ body: @Sendable (ModelContext) throws -> R) async throws -> R {
    try await writer.write(body)
  }
}

@ModelActor
actor BlogReader {
  func read<R: Sendable>(_ body: @Sendable (ModelContext) throws -> R) throws -> R {
    try modelContext.snapshot { try body(modelContext) }
  }
}

@ModelActor
actor BlogWriter {
  /// How long a request waits for another process that writes, before the answer 503.
  private static let patience = Duration.seconds(5)

  /// The transaction takes the write lock before the first read, so what the body reads cannot change
  /// before it writes: increments are not lost, also beside another process.
  func write<R: Sendable>(_ body: @Sendable (ModelContext) throws -> R) throws -> R {
    // A new model with a unique value that is taken is an error, not an update of the stored one.
    modelContext.uniquenessPolicy = .refuse
    var result: R?
    try modelContext.transaction(waitingAtMost: BlogWriter.patience) {
      result = try body(modelContext)
    }
    guard let result else { throw CancellationError() }
    return result
  }
}
