import OpenSwiftDataStoreFormat

/// The rows of one table in the file that continue in one table of the changed file.
struct TableSource: Sendable {
  /// The rows of one entity.
  struct Rows: Sendable {
    let stored: EntityDescription
    let current: EntityDescription
    let storedNumber: Int
    let currentNumber: Int
  }

  let table: String
  /// The offset that is added to the keys, so that rows of several tables can share one table.
  let offset: Int64
  let rows: [Rows]

  var hasNewNumbers: Bool { rows.contains { $0.storedNumber != $0.currentNumber } }

  /// The expression for the number of a row's entity in the changed file.
  var number: String {
    guard hasNewNumbers else { return RowTerms.entity }
    let cases = rows.map { "WHEN \($0.storedNumber) THEN \($0.currentNumber)" }
    return "CASE \(RowTerms.entity) \(cases.joined(separator: " ")) END"
  }

  /// The expression for a row's key in the changed file.
  func key(_ expression: String) -> String {
    offset == 0 ? expression : "\(expression) + \(offset)"
  }

  /// The condition for the rows that continue.
  var condition: String {
    "\(RowTerms.entity) IN (\(rows.map { "\($0.storedNumber)" }.joined(separator: ", ")))"
  }
}

/// The destinations of the rows of all tables.
struct TableSources: Sendable {
  /// By table of the changed file.
  private(set) var byTable: [String: [TableSource]] = [:]
  /// By table of the file: the tables of the changed file in which its rows continue.
  private(set) var destinations: [String: Set<String>] = [:]
  /// The numbers of removed entities, by table of the file.
  private(set) var removed: [String: [Int]] = [:]
  private var offsets: [Way: Int64] = [:]

  private struct Way: Hashable {
    let stored: String
    let current: String
  }

  /// The offset that is added to the keys of rows that move from one table to another.
  func offset(from stored: String, to current: String) -> Int64 {
    offsets[Way(stored: stored, current: current)] ?? 0
  }

  /// - Parameter lastKeys: The last assigned key of each table in the file.
  init(
    from stored: StoreLayout, to current: StoreLayout, _ counterparts: ModelCounterparts,
    lastKeys: [String: Int64]
  ) {
    for entity in stored.model.entities {
      let table = stored.table(of: entity.name)
      if counterparts.successor(of: entity.name) == nil, let number = stored.numbers[entity.name] {
        removed[table, default: []].append(number)
      }
    }
    for table in current.tables {
      let rows = current.model.subtree(of: table.root).compactMap { entity -> TableSource.Rows? in
        guard let earlier = counterparts.entity(entity.name),
          let storedNumber = stored.numbers[earlier.name],
          let currentNumber = current.numbers[entity.name]
        else { return nil }
        return TableSource.Rows(
          stored: earlier, current: entity, storedNumber: storedNumber,
          currentNumber: currentNumber)
      }
      let byEarlier = Dictionary(grouping: rows) { stored.table(of: $0.stored.name) }
      // Rows of the first table keep their keys. The others get keys that no row of any of these tables has had:
      // an identifier from before the change leads to its row or to none.
      let largest = byEarlier.keys.map { lastKeys[$0] ?? 0 }.max() ?? 0
      var offset: Int64 = 0
      func isFirst(_ one: String, _ other: String) -> Bool {
        one == table.name || other != table.name && one < other
      }
      for (earlier, rows) in byEarlier.sorted(by: { isFirst($0.key, $1.key) }) {
        byTable[table.name, default: []]
          .append(TableSource(table: earlier, offset: offset, rows: rows))
        destinations[earlier, default: []].insert(table.name)
        offsets[Way(stored: earlier, current: table.name)] = offset
        if let last = lastKeys[earlier], last > 0 { offset = max(offset + last, largest) }
      }
    }
  }
}
