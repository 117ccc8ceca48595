import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// The readable structure of a damaged file: its tables, entities and metadata. `StoreRecoveryRun`
/// reads it first.
struct StoreRecoverySource {
  /// One row of `sqlite_schema`.
  struct Object: Hashable {
    let type: String
    let name: String
    let root: Int
    let sql: String
  }

  typealias Row = (key: Int64, values: [RecordValue])

  /// The tables that are read completely, because their content is needed first.
  static let descriptions = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  let walk: PageScanner
  private(set) var objects: [Object] = []
  /// The rows of `descriptions`.
  private(set) var rows: [String: [Row]] = [:]
  private(set) var damagedPages: [Int] = []
  private(set) var unreadableParts: Set<StoreRecovery.Part> = []
  /// Those of `unreadableParts` that were replaced already.
  private var mendedParts: Set<StoreRecovery.Part> = []
  /// The table and index definitions from the models, by name; empty without models.
  private(set) var definitions: [String: String] = [:]

  init(_ pages: DatabasePages) {
    walk = PageScanner(pages)
    var objects: [Object] = []
    let losses = walk.rows(root: 1) { _, values in
      guard let object = Object(values) else { return false }
      objects.append(object)
      return true
    }
    self.objects = objects
    note(losses, .tables)
    for (name, part) in zip(
      Self.descriptions, [StoreRecovery.Part.entities, .metadata, .modelDescription])
    {
      readDescription(name, part)
    }
  }

  private mutating func readDescription(_ name: String, _ part: StoreRecovery.Part) {
    guard let table = objects.first(where: { $0.type == "table" && $0.name == name }) else {
      if part != .modelDescription { unreadableParts.insert(part) }
      return
    }
    var found: [Row] = []
    let losses = walk.rows(root: table.root) { key, values in
      found.append((key, values))
      return true
    }
    rows[name] = found
    note(losses, part)
    // Old files have no model description; without the other tables a file is not a store.
    if found.isEmpty, part != .modelDescription { unreadableParts.insert(part) }
  }

  private mutating func note(_ losses: PageScanner.Losses, _ part: StoreRecovery.Part) {
    damagedPages += losses.pages
    if !losses.pages.isEmpty || !losses.keys.isEmpty { unreadableParts.insert(part) }
  }

  /// The UUID of the store.
  var identifier: String? {
    guard let values = rows["Z_METADATA"]?.first?.values, values.count > 1,
      case .text(let identifier) = values[1], !identifier.isEmpty
    else { return nil }
    return identifier
  }

  /// The times of the transactions in the history, by number; `nil` if not all can be read. The pages of
  /// the table count as read then.
  func transactionTimes() -> [Int64: RecordValue]? {
    typealias History = HistoryTables
    guard
      let table = objects.first(where: { $0.name == History.Entity.transaction.table }),
      let time = TableText(table.sql).columns
        .firstIndex(where: { $0.name == History.Transaction.timestamp })
    else { return nil }
    var times: [Int64: RecordValue] = [:]
    let losses = walk.rows(root: table.root) { key, values in
      if time < values.count { times[key] = values[time] }
      return true
    }
    return losses.pages.isEmpty && losses.keys.isEmpty ? times : nil
  }

  /// The last number that was assigned to a transaction; `nil` if it can't be read.
  var lastTransaction: Int64? {
    RecoveredEntities(rows[EntityTable.name] ?? [])
      .lastKeys[HistoryTables.Entity.transaction.table]
  }

  /// The model in the file's cache; `nil` if it can't be read, or if its hashes differ from those in the
  /// metadata, because either is damaged.
  var model: ModelDescription? {
    guard let model = cachedModel else { return nil }
    guard let metadata = storedMetadata else { return model }
    return metadata.versionHashes == VersionHashes(model).byEntity ? model : nil
  }

  /// The model in the file's cache; `nil` if it can't be read.
  var cachedModel: ModelDescription? {
    guard case .blob(let content)? = rows["Z_MODELCACHE"]?.first?.values.first else { return nil }
    return try? ModelCache.decode(Data(content))
  }

  /// The dictionary in the metadata; `nil` if it can't be read.
  var storedMetadata: StoreMetadata? {
    guard case .blob(let plist)? = rows["Z_METADATA"]?.first?.values.last else { return nil }
    return StoreMetadata(Data(plist))
  }

  func hasTable(_ name: String) -> Bool {
    objects.contains { $0.type == "table" && $0.name == name }
  }

  /// Whether the list of tables can be read and has none of a store's.
  var isOtherDatabase: Bool {
    !objects.isEmpty && !unreadableParts.contains(.tables)
      && !objects.contains { ["Z_METADATA", EntityTable.name].contains($0.name) }
  }

  /// Whether the file can be copied without its models.
  var hasTableDescriptions: Bool {
    unreadableParts.subtracting(mendedParts).isDisjoint(with: [.tables, .metadata, .entities])
  }

  /// The entities in the table of entities.
  var storedEntities: [(name: String, number: Int, superNumber: Int)] {
    (rows[EntityTable.name] ?? []).compactMap { row in
      guard row.values.count > 2, case .text(let name) = row.values[1] else { return nil }
      return (name, Int(clamping: row.key), Int(clamping: row.values[2].integer))
    }
  }

  /// Replaces the rows of the table of entities, a part of which could not be read.
  mutating func replaceEntities(_ rows: [Row]) { self.rows[EntityTable.name] = rows }

  /// Replaces the rows of a description that is damaged.
  /// - Parameter isMended: Whether the rows are complete.
  mutating func replace(
    _ name: String, _ part: StoreRecovery.Part, _ rows: [Row], isMended: Bool = true
  ) {
    self.rows[name] = rows
    // Of a part with damaged pages the table may be missing too.
    if isMended, !unreadableParts.contains(part) { mendedParts.insert(part) }
    unreadableParts.insert(part)
  }

  /// Adds missing parts from an empty store of the models, whose entities have the same numbers.
  mutating func complete(from other: StoreRecoverySource) {
    definitions = Dictionary(
      other.objects.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    if unreadableParts.isSubset(of: mendedParts) { return }
    let known = Set(objects.map(\.name))
    // The table has no root page here, so its rows are found among pages without a parent.
    objects += other.objects.filter { !known.contains($0.name) }
      .map { Object(type: $0.type, name: $0.name, root: 0, sql: $0.sql) }
    let hashes = storedMetadata?.versionHashes
    let isOfModels = hashes == nil || hashes == other.storedMetadata?.versionHashes
    for (name, rows) in other.rows where isOfModels || name != "Z_MODELCACHE" {
      let keys = Set(self.rows[name, default: []].map(\.key))
      self.rows[name, default: []] += rows.filter { !keys.contains($0.key) }
    }
  }
}

extension StoreRecoverySource.Object {
  fileprivate init?(_ values: [RecordValue]) {
    guard values.count == 5, case .text(let type) = values[0], case .text(let name) = values[1],
      case .integer(let root) = values[3]
    else { return nil }
    let sql: String = if case .text(let sql) = values[4] { sql } else { "" }
    self.init(type: type, name: name, root: Int(root), sql: sql)
  }
}

/// The entities of a store, from `Z_PRIMARYKEY`.
struct RecoveredEntities {
  /// The names of entities by table.
  private(set) var names: [String: [String]] = [:]
  /// The numbers of entities by table.
  private(set) var numbers: [String: Set<Int64>] = [:]
  private(set) var tables: [Int64: String] = [:]
  /// The last key that was assigned to a row of a table.
  private(set) var lastKeys: [String: Int64] = [:]
  /// The number of a table's root entity.
  private(set) var roots: [String: Int64] = [:]

  init(_ rows: [StoreRecoverySource.Row]) {
    var entities: [Int64: (name: String, parent: Int64, last: Int64)] = [:]
    for row in rows {
      guard row.values.count >= 4, case .text(let name) = row.values[1] else { continue }
      entities[row.key] = (name, row.values[2].integer, row.values[3].integer)
    }
    for (number, entity) in entities.sorted(by: { $0.key < $1.key }) {
      var root = number
      for _ in entities {
        guard let parent = entities[root]?.parent, entities[parent] != nil else { break }
        root = parent
      }
      let rootName = entities[root]?.name ?? entity.name
      // Tables of the history and of other framework entities have names such as ATRANSACTION.
      let table = (number > 16000 ? "A" : "Z") + rootName.uppercased()
      numbers[table, default: []].insert(number)
      tables[number] = table
      if number < 16000 { names[table, default: []].append(entity.name) }
      if root == number {
        roots[table] = number
        if entity.last > 0 { lastKeys[table] = entity.last }
      }
    }
  }
}

extension RecordValue {
  fileprivate var integer: Int64 { if case .integer(let value) = self { value } else { 0 } }
}
