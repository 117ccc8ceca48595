import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A store in memory that tells how SQLite answers a fetch.
struct PlanBench {
  let container: ModelContainer
  let context: ModelContext
  let store: DefaultStore

  init(_ types: any PersistentModel.Type...) throws {
    container = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    store = try #require(container.stores.first as? DefaultStore)
  }

  /// The statements that run while `body` does.
  func statements(_ body: () throws -> Void) throws -> [String] {
    let traced = Traced()
    try store.pool.read { $0.trace { traced.texts.append($0.sql) } }
    defer { try? store.pool.read { $0.trace(nil) } }
    try body()
    return traced.texts
  }

  /// What SQLite says of a statement.
  func plan(of sql: String) throws -> Plan {
    try store.pool.read { connection in
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
      var steps: [String] = []
      while try statement.step() { steps.append(statement.string(3)) }
      return Plan(sql: sql, steps: steps)
    }
  }

  /// The plan of a fetch, taken from the statement that it runs.
  func plan<T: PersistentModel>(
    _ predicate: Predicate<T>? = nil, sortBy order: [SortDescriptor<T>] = [], limit: Int? = nil
  ) throws -> Plan {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
    descriptor.fetchLimit = limit
    let texts = try statements { _ = try ModelContext(container).fetch(descriptor) }
    return try plan(of: #require(texts.last { $0.hasPrefix("SELECT") }))
  }

  private final class Traced: @unchecked Sendable {
    var texts: [String] = []
  }
}

/// The steps of a query plan.
struct Plan: CustomStringConvertible {
  let sql: String
  let steps: [String]

  var description: String { ([sql] + steps).joined(separator: "\n  ") }

  /// Whether a step looks up rows in the index by the given number of comparisons.
  func searches(_ index: String, _ comparisons: String) -> Bool {
    steps.contains {
      $0.hasPrefix("SEARCH") && $0.contains(" INDEX \(index) (\(comparisons)")
    }
  }

  /// Whether rows are looked up by their primary key.
  var searchesKeys: Bool {
    steps.contains { $0.hasPrefix("SEARCH t0 USING INTEGER PRIMARY KEY") }
  }

  /// Whether the rows come in the order of an index.
  func walks(_ index: String) -> Bool {
    steps.contains { $0.hasSuffix("SCAN t0 USING INDEX \(index)") }
  }

  var scansTable: Bool { steps.contains { $0 == "SCAN t0" } }
  var sortsParts: Bool { steps.contains { $0.hasPrefix("USE TEMP B-TREE") } }
  var sorts: Bool { steps.contains("USE TEMP B-TREE FOR ORDER BY") }
  var asksForEachRow: Bool { steps.contains { $0.hasPrefix("CORRELATED") } }
}
