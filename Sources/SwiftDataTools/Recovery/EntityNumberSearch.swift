import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// Finds the numbers of the entities in a file whose table of entities is lost, or a part of it.
/// Called by `StoreRecoveryRun`.
///
/// Numbers depend on all models of a file, so the numbers of a new store may be those of other
/// classes, for example if the file has more models.
///
/// 1. Rows of the lost table are searched on all pages.
/// 2. The rows of a class without subclasses contain its number.
/// 3. Other classes get the numbers of a new store, if nothing in the file contradicts them.
struct EntityNumberSearch {
  private typealias Row = StoreRecoverySource.Row

  /// What the rows of a table say of the numbers of its entities.
  private struct Evidence {
    /// The number of rows, by entity number.
    var counts: [Int: Int] = [:]
    /// The columns in which rows have values, by entity number.
    var columns: [Int: Set<String>] = [:]
    var isComplete = false

    var mostFrequent: Int? {
      counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
  }

  private let source: StoreRecoverySource
  private let models: ModelDescription
  private let pages: DatabasePages

  /// - Parameters:
  ///   - pages: The pages of the damaged file.
  ///   - source: The structure of the damaged file.
  ///   - models: The model of the file, or the models for the new store if the file has lost it.
  init(_ pages: DatabasePages, _ source: StoreRecoverySource, models: ModelDescription) {
    self.pages = pages
    self.source = source
    self.models = models
  }

  /// - Returns: The rows for `Z_PRIMARYKEY`, without those of entities that are new to the file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the class of rows can't be determined.
  func rows() throws -> [StoreRecoverySource.Row] {
    let known = knownRows()
    var numbers = Dictionary(
      known.compactMap { row in row.values.entityName.map { ($0, Int(row.key)) } },
      uniquingKeysWith: { first, _ in first })
    let evidence = evidence()
    for root in models.roots where numbers[root.name] == nil && isAlone(root) {
      numbers[root.name] = evidence[root.name]?.mostFrequent
    }
    let fresh = models.freshNumbers
    let isFresh = numbers.allSatisfy { fresh[$0.key] == nil || fresh[$0.key] == $0.value }
    for entity in models.entities where numbers[entity.name] == nil {
      if isFresh {
        numbers[entity.name] = fresh[entity.name]
      } else if !hasNoRows(entity, evidence) {
        throw unknown(entity.name)
      }
    }
    if let entity = contradicted(numbers, evidence) { throw unknown(entity) }
    let names = Set(known.compactMap(\.values.entityName))
    let added = models.entities.filter { !names.contains($0.name) }.compactMap { entity -> Row? in
      guard let number = numbers[entity.name] else { return nil }
      let superNumber = entity.superName.flatMap { numbers[$0] } ?? 0
      return (
        Int64(number), [.null, .text(entity.name), .integer(Int64(superNumber)), .integer(0)]
      )
    }
    return known + added
  }

  private func unknown(_ entity: String) -> SwiftDataError {
    .loadIssueModelContainer.with(
      "The store has lost the numbers of its entities, and the rows of \(entity) may be those of "
        + "another class. Nothing was copied. Restore a backup; a copy of the table Z_PRIMARYKEY from "
        + "a backup of the same version is enough.", doing: "recovering a store")
  }

  /// Whether the rows of the table can only be those of this entity.
  private func isAlone(_ root: EntityDescription) -> Bool {
    models.subtree(of: root.name).count == 1
  }

  /// Whether the table is certain to have no rows, so that any number is right.
  private func hasNoRows(_ entity: EntityDescription, _ evidence: [String: Evidence]) -> Bool {
    guard let root = models.lineage(of: entity.name).last, isAlone(root) else { return false }
    if let found = evidence[root.name] { return found.isComplete && found.counts.isEmpty }
    return !source.unreadableParts.contains(.tables)
  }

  // MARK: Rows of the table of entities

  private func knownRows() -> [Row] {
    let readable = source.rows[EntityTable.name] ?? []
    let names = Set(readable.compactMap(\.values.entityName))
    let numbers = Set(readable.map(\.key))
    var found: [String: [Row]] = [:]
    PageScanner(pages).orphanRows { _, key, values in
      let row: Row = (key, values)
      guard values.count == 4, values[0] == .null, let name = values.entityName,
        models[name] != nil, !names.contains(name), !numbers.contains(key),
        EntityNumbering.isValid(Int(clamping: key))
      else { return }
      found[name, default: []].append(row)
    }
    // Two rows for a name, or for a number: one is of an older page.
    let single = found.values.filter { $0.count == 1 }.map { $0[0] }
    let uses = Dictionary(grouping: single, by: \.key)
    return readable + single.filter { uses[$0.key]?.count == 1 }.sorted { $0.key < $1.key }
  }

  // MARK: Rows of models

  /// By root entity, for the tables that the file describes.
  private func evidence() -> [String: Evidence] {
    let scanner = PageScanner(pages)
    var found: [String: Evidence] = [:]
    for root in models.roots {
      let name = StoreLayout.table(forRoot: root.name)
      guard let table = source.objects.first(where: { $0.type == "table" && $0.name == name })
      else { continue }
      let columns = TableText(table.sql).columns
      var evidence = Evidence()
      let losses = scanner.rows(root: table.root) { _, values in
        guard values.count > 2, case .integer(let value) = values[1],
          EntityNumbering.isValid(Int(clamping: value))
        else { return false }
        let number = Int(value)
        evidence.counts[number, default: 0] += 1
        // An updated row may have the default of another class's column.
        let filled = zip(columns, values).filter { !$0.0.hasDefault && $0.1 != .null }
        evidence.columns[number, default: []].formUnion(filled.map(\.0.name))
        return true
      }
      evidence.isComplete = losses.pages.isEmpty && losses.keys.isEmpty
      found[root.name] = evidence
    }
    return found
  }

  /// An entity whose number is not that of the file.
  private func contradicted(
    _ numbers: [String: Int], _ evidence: [String: Evidence]
  ) -> String? {
    let layout = StoreLayout(
      models, numbers: numbers, knownTables: Set(source.objects.map(\.name)))
    if !source.unreadableParts.contains(.tables) {
      let tables = Set(source.objects.filter { $0.type == "table" }.map(\.name))
      let pairs = tables.filter { $0.isPairs }
      let expected = layout.joinTables.map(\.name)
      if !pairs.isSubset(of: expected), expected.contains(where: { !tables.contains($0) }) {
        return models.entities.first?.name
      }
    }
    for table in layout.tables {
      guard let evidence = evidence[table.root] else { continue }
      let hierarchy = models.subtree(of: table.root).map(\.name)
      if hierarchy.count == 1 { continue }
      let names = Dictionary(
        hierarchy.compactMap { name in numbers[name].map { ($0, name) } },
        uniquingKeysWith: { first, _ in first })
      for (number, filled) in evidence.columns {
        guard let name = names[number] else { return table.root }
        let lineage = Set(models.lineage(of: name).map(\.name))
        let isForeign = table.columns.contains { column in
          column.id.part != .owner && filled.contains(column.name)
            && !lineage.contains(column.id.entity)
        }
        if isForeign { return name }
      }
    }
    return nil
  }
}

extension [RecordValue] {
  /// The name in a row of `Z_PRIMARYKEY`.
  var entityName: String? {
    if count > 1, case .text(let name) = self[1] { name } else { nil }
  }
}

extension String {
  /// Whether a table can only be one of pairs: `Z_2TAGS`.
  fileprivate var isPairs: Bool { hasPrefix("Z_") && dropFirst(2).first?.isNumber == true }
}
