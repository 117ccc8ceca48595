import SwiftData

/// One container, several contexts that read, and one context that writes.
///
/// Each context has a thread of its own while it works, so that reads use all cores. The writer is one
/// actor, because an SQLite file has one writer at a time. Only `Sendable` values leave the closures, so
/// no model does.
final class Blog: Sendable {
  let container: ModelContainer
  private let readers: ModelReaders
  private let writer: ModelWriter

  /// How long a request waits for requests before it, or for another process that writes, before the answer 503.
  private static let patience = Duration.seconds(5)

  /// - Parameter readers: The number of contexts that read; `nil` for one for each connection.
  init(_ container: ModelContainer, readers: Int? = nil) {
    self.container = container
    self.readers = ModelReaders(container, count: readers, waitingAtMost: Blog.patience)
    writer = ModelWriter(container, waitingAtMost: Blog.patience) { context in
      // A new model with a unique value that is taken is an error, not an update of the stored one.
      context.uniquenessPolicy = .refuse
    }
  }

  /// Runs reads that see one state of the store.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> R
  ) async throws -> R {
    try await readers.read(body)
  }

  /// Runs reads and changes, and stores them together; a thrown error undoes all of them. Writes that
  /// come while another one runs share its commit.
  func write<R: Sendable>(
    _ body: @escaping @Sendable (ModelContext) throws -> R
  ) async throws -> R {
    try await writer.write(body)
  }
  /// Reads one row, which throws if the store cannot be used.
  func check() async throws {
    _ = try await read { context in
      var any = FetchDescriptor<Tag>()
      any.fetchLimit = 1
      return try context.fetch(any).count
    }
  }
}
