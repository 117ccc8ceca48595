import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// The same model as in the second process, which uses the same tables.
@Model
final class Memo {
  var text: String
  var number: Int

  init(_ text: String, number: Int = 0) {
    self.text = text
    self.number = number
  }
}

/// A schema of the test server in which containers store memos.
struct MemoDatabase {
  let url: String

  init(_ server: PostgresServer? = nil) throws {
    url = try (server ?? PostgresServer.shared).addressOfNewSchema()
  }

  func container(
    readURLs: [String] = [], _ configure: (inout PostgresConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = try PostgresConfiguration(url: url, readURLs: readURLs)
    configure(&configuration)
    return try ModelContainer(for: Memo.self, configurations: configuration)
  }
}

extension ModelContainer {
  /// Saves a memo in a context of its own.
  func add(_ text: String, number: Int = 0, author: String? = nil) throws {
    let context = ModelContext(self)
    context.author = author
    context.insert(Memo(text, number: number))
    try context.save()
  }

  func texts() throws -> [String] {
    try ModelContext(self).fetch(FetchDescriptor<Memo>(sortBy: [SortDescriptor(\.text)])).map(
      \.text)
  }

  func transactions(
    after token: DefaultHistoryToken? = nil
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try ModelContext(self).fetchHistory(descriptor)
  }
}

/// Waits until a condition holds, and records an issue after the limit.
///
/// The limit is the sum of the pauses, so that it does not depend on how busy the machine is.
@MainActor
func eventually(
  _ what: String, within limit: Duration = .seconds(20), _ condition: () throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let pause = Duration.milliseconds(2)
  var waited = Duration.zero
  while try !condition() {
    if waited > limit {
      Issue.record("not within \(limit): \(what)", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: pause)
    waited += pause
  }
}
