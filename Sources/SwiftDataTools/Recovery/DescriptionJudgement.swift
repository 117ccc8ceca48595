import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// Finds damage in the descriptions of a store whose rows can be read. Called by `StoreRecoveryRun`.
///
/// The description of the models, their hashes in the metadata and the table of entities must agree with each
/// other. Of two that differ, the one that the given models confirm is right, and replaces the other one. What
/// nothing confirms is left out: opening a store with its models writes it anew.
struct DescriptionJudgement {
  private typealias Row = StoreRecoverySource.Row

  private let pages: DatabasePages
  private let models: DescribedSchema?
  private(set) var source: StoreRecoverySource
  /// The model of the file, if it is certain.
  private var model: ModelDescription?
  /// Whether the metadata of a new store of the models belong to the file.
  private var wantsMetadata = false

  /// - Parameters:
  ///   - pages: The pages of the damaged file.
  ///   - source: The structure of the damaged file.
  ///   - models: The models for the new store, if they are given.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the class of rows can't be determined.
  init(_ pages: DatabasePages, _ source: StoreRecoverySource, _ models: DescribedSchema?) throws {
    self.pages = pages
    self.source = source
    self.models = models
    try judgeModel()
    judgeIdentifier()
    try judgeEntities()
  }

  // MARK: The model

  private mutating func judgeModel() throws {
    guard source.rows["Z_METADATA"]?.isEmpty == false else {
      model = source.model
      return
    }
    let cached = source.cachedModel
    let hashes = source.storedMetadata?.versionHashes ?? [:]
    if let cached, confirms(cached, hashes) {
      model = cached
    } else if !hashes.isEmpty, let models, models.hashes == hashes {
      model = models.model
      try replaceModel(models.model)
    } else if let cached, let models, isSame(cached, models.model) {
      model = cached
      wantsMetadata = true
    } else if let cached, hashes.isEmpty {
      model = cached
      if source.storedMetadata == nil { setMetadata(.null) }
    } else if cached != nil {
      // Either is damaged, and nothing tells which one.
      source.replace(
        "Z_MODELCACHE", .modelDescription, source.rows["Z_MODELCACHE"] ?? [])
    } else {
      if source.hasTable("Z_MODELCACHE") { source.replace("Z_MODELCACHE", .modelDescription, []) }
      if hashes.isEmpty { models == nil ? setMetadata(.null) : (wantsMetadata = true) }
    }
  }

  /// Whether the hashes are those of the model. How derived attributes are hashed is not known.
  private func confirms(_ model: ModelDescription, _ hashes: [String: Data]) -> Bool {
    let own = VersionHashes(model).byEntity
    return Set(own.keys) == Set(hashes.keys)
      && own.allSatisfy { name, hash in
        hashes[name] == hash
          || model.properties(of: name).contains { $0.attribute?.isDerived == true }
      }
  }

  private func isSame(_ stored: ModelDescription, _ current: ModelDescription) -> Bool {
    Set(stored.entities.map(\.name)) == Set(current.entities.map(\.name))
      && ModelDifference.all(from: stored, to: current).isEmpty
  }

  /// Files of early frameworks have no place for a model.
  private mutating func replaceModel(_ model: ModelDescription) throws {
    guard source.hasTable("Z_MODELCACHE") else { return }
    let version = source.storedMetadata?.versionIdentifiers ?? model.versionIdentifiers
    let content = try ModelCache.encode(
      ModelDescription(entities: model.entities, versionIdentifiers: version))
    source.replace("Z_MODELCACHE", .modelDescription, [(1, [.blob(Array(content))])])
  }

  // MARK: The metadata

  private mutating func judgeIdentifier() {
    guard let row = source.rows["Z_METADATA"]?.first, source.identifier == nil else { return }
    let plist = row.values.count > 2 ? row.values[2] : .null
    source.replace(
      "Z_METADATA", .metadata, [(row.key, [.null, .text(UUID().uuidString), plist])])
  }

  /// Replaces the dictionary. The identifier stays.
  private mutating func setMetadata(_ plist: RecordValue) {
    guard let row = source.rows["Z_METADATA"]?.first else { return }
    let identifier = row.values.count > 1 ? row.values[1] : .null
    source.replace("Z_METADATA", .modelDescription, [(row.key, [.null, identifier, plist])])
  }

  /// Takes what only a store of the models has.
  /// - Parameter other: An empty store of the models, whose entities have the same numbers.
  mutating func complete(from other: StoreRecoverySource) throws {
    source.complete(from: other)
    guard wantsMetadata, case .blob(let made)? = other.rows["Z_METADATA"]?.first?.values.last,
      case let stored? = source.rows["Z_METADATA"]?.first?.values.last
    else { return }
    guard case .blob(let bytes) = stored, source.storedMetadata != nil else {
      return setMetadata(.blob(made))
    }
    let data = try StoreMetadata.data(Data(bytes), withHashesOf: Data(made))
    setMetadata(.blob(Array(data)))
  }

  // MARK: The entities

  private mutating func judgeEntities() throws {
    let stored = source.rows[EntityTable.name] ?? []
    guard let model = model ?? (source.unreadableParts.contains(.entities) ? models?.model : nil)
    else { return try judgeNames(stored) }
    var known = StoredEntityRows(stored, model)
    if source.unreadableParts.contains(.entities) || !known.isComplete {
      var reduced = source
      reduced.replaceEntities(known.certain)
      known = StoredEntityRows(
        known.keepingLastKeys(
          try EntityNumberSearch(pages, reduced, models: model).rows()), model)
    } else if known.hasRightSuperNumbers {
      return
    }
    source.replace(EntityTable.name, .entities, known.withSuperNumbers)
  }

  /// Without a model the hashes tell the names of the entities.
  private mutating func judgeNames(_ stored: [Row]) throws {
    let names = Set(source.storedEntities.map(\.name))
    let expected = source.storedMetadata?.versionHashes.keys.map { $0 } ?? []
    if names.isSuperset(of: expected) || expected.isEmpty { return }
    guard let models else {
      return source.replace(EntityTable.name, .entities, stored, isMended: false)
    }
    var reduced = source
    let known = StoredEntityRows(stored, models.model)
    reduced.replaceEntities(known.certain)
    source.replace(
      EntityTable.name, .entities,
      known.keepingLastKeys(
        try EntityNumberSearch(pages, reduced, models: models.model).rows()))
  }
}

/// The rows of the table of entities, compared with a model.
private struct StoredEntityRows {
  private let rows: [StoreRecoverySource.Row]
  private let model: ModelDescription
  /// Whether no number of the history or of another part of the framework has the name of a model.
  private let hasRightReservedNames: Bool
  /// The numbers by name, without those of the history.
  private var numbers: [String: [Int64]] = [:]

  init(_ stored: [StoreRecoverySource.Row], _ model: ModelDescription) {
    rows = stored.compactMap { StoredEntityRows.reserved($0, besides: model) }
    hasRightReservedNames = rows.map(\.values) == stored.map(\.values)
    self.model = model
    for row in rows where EntityNumbering.isValid(Int(clamping: row.key)) {
      numbers[row.values.entityName ?? "", default: []].append(row.key)
    }
  }

  /// The row; if its number is one of the history, with that name. `nil` if it has the name of a model, but a number
  /// that no model has.
  private static func reserved(
    _ row: StoreRecoverySource.Row, besides model: ModelDescription
  ) -> StoreRecoverySource.Row? {
    guard !EntityNumbering.isValid(Int(clamping: row.key)), let name = row.values.entityName,
      model[name] != nil
    else { return row }
    guard let entity = HistoryTables.Entity(rawValue: Int(clamping: row.key)) else { return nil }
    return (row.key, row.values.prefix(1) + [.text(entity.name)] + row.values.dropFirst(2))
  }

  /// Whether each entity has one number, and each number one row.
  var isComplete: Bool {
    hasRightReservedNames && Set(rows.map(\.key)).count == rows.count
      && model.entities.allSatisfy { entity in
        numbers[entity.name].map { $0.count == 1 } ?? isFormerName(entity.name)
      }
  }

  /// Whether the row of an entity has its former name, as older frameworks left it.
  private func isFormerName(_ name: String) -> Bool {
    guard let number = model.freshNumbers[name] else { return false }
    return rows.contains {
      Int(clamping: $0.key) == number && $0.values.entityName.map { model[$0] == nil } ?? false
    }
  }

  /// The rows that the model confirms, and those of the history.
  var certain: [StoreRecoverySource.Row] {
    let counts = Dictionary(rows.map { ($0.key, 1) }, uniquingKeysWith: +)
    return rows.filter { row in
      guard counts[row.key] == 1 else { return false }
      guard EntityNumbering.isValid(Int(clamping: row.key)) else { return true }
      guard let name = row.values.entityName, model[name] != nil else { return false }
      return numbers[name]?.count == 1
    }
  }

  /// New rows with the last keys of these, which belong to the numbers.
  func keepingLastKeys(_ found: [StoreRecoverySource.Row]) -> [StoreRecoverySource.Row] {
    let last = Dictionary(rows.map { ($0.key, $0.values.lastKey) }, uniquingKeysWith: max)
    return found.map { row in
      guard row.values.count > 3, let key = last[row.key], key > row.values.lastKey else {
        return row
      }
      return (row.key, row.values.prefix(3) + [.integer(key)])
    }
  }

  private func superNumber(of row: StoreRecoverySource.Row) -> Int64? {
    guard EntityNumbering.isValid(Int(clamping: row.key)),
      let entity = row.values.entityName.flatMap({ model[$0] })
    else { return nil }
    guard let name = entity.superName else { return 0 }
    return numbers[name]?.first
  }

  var hasRightSuperNumbers: Bool {
    rows.allSatisfy { row in
      superNumber(of: row).map { row.values.count > 2 && row.values[2] == .integer($0) } ?? true
    }
  }

  /// The rows with the numbers of the superentities in the model.
  var withSuperNumbers: [StoreRecoverySource.Row] {
    rows.map { row in
      guard let number = superNumber(of: row), row.values.count > 2 else { return row }
      return (row.key, row.values.prefix(2) + [.integer(number)] + row.values.dropFirst(3))
    }
  }
}

extension [RecordValue] {
  /// The last assigned key in a row of `Z_PRIMARYKEY`.
  fileprivate var lastKey: Int64 {
    if count > 3, case .integer(let key) = self[3] { key } else { 0 }
  }
}
