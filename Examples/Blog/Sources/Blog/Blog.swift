import SwiftData

/// One container, several contexts that read, and one context that writes.
///
/// Each context has a thread of its own while it works, so that reads use all cores. The writer is one
/// actor, because an SQLite file has one writer at a time. Only `Sendable` values leave the closures, so
/// no model does.
final class Blog: Sendable {
  let container: ModelContainer
  private let readers: ModelReaders
  private let writer: BlogWriter

  /// - Parameter readers: The number of contexts that read; `nil` for one for each connection.
  init(_ container: ModelContainer, readers: Int? = nil) {
    self.container = container
    self.readers = ModelReaders(container, count: readers)
    writer = BlogWriter(modelContainer: container)
  }

  /// Runs reads that see one state of the store.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> R
  ) async throws -> R {
    try await readers.read(body)
  }

  /// Runs reads and changes in one transaction, and saves them; a thrown error undoes all of them.
  func write<R: Sendable>(_ body: @Sendable (ModelContext) throws -> R) async throws -> R {
    try await writer.write(body)
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
