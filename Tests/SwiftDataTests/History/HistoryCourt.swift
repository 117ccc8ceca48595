import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// A store with a history of every kind, in which predicates over transactions are judged twice: by the fetch and
/// in memory.
struct HistoryCourt {
  @Model final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?

    init(_ place: String) { self.place = place }
  }

  static let authors: [String?] = ["app", nil, "widget", "Zoe\u{308}", "app", nil, "", "sync"]
  static let names: [String?] = [nil, "main", "import"]

  let container: ModelContainer
  let store: DefaultStore
  let mapping: SchemaMapping
  /// All transactions, the oldest first.
  let all: [DefaultHistoryTransaction]
  /// Of models that were changed, and of others.
  let identifiers: [PersistentIdentifier]

  init() throws {
    let types: [any PersistentModel.Type] = [Trip.self, Stop.self]
    container = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    store = try #require(container.stores.first as? DefaultStore)
    mapping = SchemaMapping(
      schema: Schema(types),
      descriptors: Dictionary(
        uniqueKeysWithValues: types.map { ($0._$descriptor.entityName, $0._$descriptor) }))
    try Self.fill(container)
    try Self.addForeignRows(store)
    all = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    identifiers =
      all.flatMap { $0.changes.map(\.changedPersistentIdentifier) } + [
        try .identifier(for: "another store", entityName: "Trip", primaryKey: "p1"),
        try .identifier(for: store.identifier, entityName: "Stop", primaryKey: "p9999"),
        try .identifier(for: store.identifier, entityName: "Gone", primaryKey: "p4"),
        try .identifier(for: store.identifier, entityName: "Trip", primaryKey: "text"),
        Trip("unsaved").persistentModelID,
      ]
  }

  private static func fill(_ container: ModelContainer) throws {
    var trips: [PersistentIdentifier] = []
    for (number, author) in authors.enumerated() {
      let context = ModelContext(container)
      context.author = author
      context.name = names[number % names.count]
      let trip = Trip("trip \(number)")
      context.insert(trip)
      if number % 2 == 0 { trip.stops = (0..<number).map { Stop("stop \($0)") } }
      if number % 3 == 2, let old = context.model(for: trips[number - 2]) as? Trip {
        old.name += "!"
      }
      if number % 3 == 1, number > 3, let old = context.model(for: trips[number - 4]) as? Trip {
        context.delete(old)
      }
      try context.save()
      trips.append(trip.persistentModelID)
    }
  }

  /// What other programs may leave: texts in the row, keys that lead to no text, entities that the models lack,
  /// changes of a kind that nobody knows, transactions without changes or names.
  private static func addForeignRows(_ store: DefaultStore) throws {
    try store.pool.write { connection in
      for statement in [
        """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHOR, ZBUNDLEID, ZPROCESSID, ZTIMESTAMP)
        VALUES (20, 16002, 'widget', 'com.example', 'older', 700000000.5)
        """,
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZAUTHOR, ZTIMESTAMP) "
          + "VALUES (21, 16002, 999, 'app', 700000001)",
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZAUTHOR, ZTIMESTAMP) "
          + "VALUES (22, 16002, (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = 'sync'), "
          + "'app', 700000002)",
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (23, 16002, 700000002)",
        "INSERT INTO Z_PRIMARYKEY VALUES (77, 'Gone', 0, 9)",
        "INSERT INTO ACHANGE (Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
          + "VALUES (900, 0, 77, 4, 20), (901, 1, 78, 4, 20), (902, 7, 1, 1, 20), "
          + "(903, 2, 2, 1, 21), (904, 7, 1, 1, 22)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 23 WHERE Z_ENT = 16002",
      ] { try connection.execute(statement) }
    }
  }

  func token(_ number: Int64) -> DefaultHistoryToken {
    DefaultHistoryToken([store.identifier: number])
  }

  func compiled(
    _ predicate: Predicate<DefaultHistoryTransaction>?,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = []
  ) -> CompiledFetch {
    PredicateCompiler.compile(
      predicate, sortBy: sortBy,
      records: HistoryRecords(mapping: mapping, storeIdentifier: store.identifier).transactions,
      mapping: mapping, storeIdentifier: store.identifier)
  }

  func sql(_ predicate: Predicate<DefaultHistoryTransaction>) -> String {
    let select = compiled(predicate).shape.select([.integer(1)])
    return String(select.rendered(in: .sqlite).sql.dropFirst("SELECT 1 FROM ".count))
  }

  /// What SQLite says of a fetch.
  func plan(
    _ predicate: Predicate<DefaultHistoryTransaction>?, limit: Int? = nil,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = [SortDescriptor(\.transactionIdentifier)]
  ) throws -> [String] {
    let shape = compiled(predicate, sortBy: sortBy).shape
    let sql = shape.select(
      [.column(table: "t0", name: "Z_PK")], limit: limit.map { .integer(Int64($0)) }
    ).rendered(in: .sqlite).sql
    return try store.pool.read { connection in
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
      var steps: [String] = []
      while try statement.step() { steps.append(statement.string(3)) }
      return steps
    }
  }

  func fetch(
    _ predicate: Predicate<DefaultHistoryTransaction>?, limit: Int = 0,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = []
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor(predicate: predicate, sortBy: sortBy)
    descriptor.fetchLimit = UInt64(limit)
    return try ModelContext(container).fetchHistory(descriptor)
  }

  /// Fetches and evaluates, and expects one answer.
  @discardableResult
  func judge(
    _ predicate: Predicate<DefaultHistoryTransaction>, inMemory: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> [Int64] {
    let compiled = compiled(predicate)
    #expect(
      compiled.filtersInMemory == inMemory, "\(compiled.unsupported)", sourceLocation: location)
    let found = try fetch(predicate).map(\.transactionIdentifier)
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.transactionIdentifier)
    #expect(found == expected, "\(sql(predicate))", sourceLocation: location)
    return found
  }

  /// Expects some of the transactions besides, but not all.
  func judgeNarrowing(
    _ predicate: Predicate<DefaultHistoryTransaction>, inMemory: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let count = try judge(predicate, inMemory: inMemory, location).count
    #expect(count > 0 && count < all.count, "\(count) of \(all.count)", sourceLocation: location)
  }
}
