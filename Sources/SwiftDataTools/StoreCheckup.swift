public import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// Checks a store file for damage and inconsistencies.
///
/// Supports any store file, including those of Apple's SwiftData and Core Data. Changes nothing.
///
/// ```swift
/// let checkup = try StoreCheckup(of: URL(filePath: "/data/trips.store"))
/// for problem in checkup.problems { print(problem) }
/// ```
public struct StoreCheckup: Codable, Hashable, Sendable {
  /// A problem that the check found.
  public struct Problem: Codable, Hashable, Sendable {
    /// The kinds of problems.
    public enum Kind: String, Codable, Hashable, Sendable {
      /// SQLite reports that the file is damaged.
      case damage
      /// The file does not contain its model, or its hashes or entity numbers do not match its model.
      case model
      /// A table, column or index of the model is missing.
      case table
      /// A row has no known entity, a key above the last assigned one, or a missing or mistyped
      /// value.
      case row
      /// A relationship leads to a missing row, or only one of two rows refers to the other.
      case link
      /// The history refers to missing data, or contains keys above the last assigned ones.
      case history
      /// A row names a file that does not exist.
      case missingFile
      /// No row names the file.
      case orphanedFile
    }

    /// The kind of problem.
    public let kind: Kind
    /// The problem, with names and counts, but without stored values.
    public let text: String
  }

  /// The location of the file.
  public let path: String
  /// The problems, in the order in which the parts of a file are checked.
  public private(set) var problems: [Problem] = []

  /// Checks a store file: reads every page, and every row once per relationship.
  /// - Parameter url: The store file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason if the file is not a store,
  ///   or if it is not damaged but can't be read.
  public init(of url: URL) throws { self = try StoreCheckup.checkup(of: url) }

  private static func checkup(of url: URL) throws -> StoreCheckup {
    do {
      var files: ExternalFilesCheck?
      var checkup = try OpenedStore.look(at: url) { store in
        let checkup = try StoreCheckup(store)
        files =
          checkup.isDamaged ? nil : try ExternalFilesCheck(of: url, through: store.connection)
        return checkup
      }
      if let files { checkup.noteFiles(try files.confirmed(of: url)) }
      return checkup
    } catch {
      guard let damage = StoreCheckup.damage(error, url) else { throw error }
      return StoreCheckup(path: url.path, damage: damage)
    }
  }

  private init(path: String, damage: String) {
    self.path = path
    note(.damage, damage)
  }

  private init(_ store: OpenedStore) throws {
    path = store.url.path
    try checkPages(store)
    // The rows of a damaged file are not checked.
    if isDamaged { return }
    checkModel(store)
    try checkTables(store)
    try checkRows(store)
    try checkValues(store)
    try checkLinks(store)
    try checkHistory(store)
  }

  private var isDamaged: Bool { problems.contains { $0.kind == .damage } }

  /// A description of the damage, if that is why the file could not be opened.
  private static func damage(_ error: any Error, _ url: URL) -> String? {
    if let damage = StoreFileCheck.damage(of: url) { return damage }
    let failure = (error as? SwiftDataError)?.database
    return failure?.code == corrupt ? failure?.message : nil
  }

  /// `SQLITE_CORRUPT`.
  private static let corrupt = 11

  private mutating func note(_ kind: Problem.Kind, _ text: String) {
    problems.append(Problem(kind: kind, text: text))
  }

  private mutating func checkPages(_ store: OpenedStore) throws {
    do {
      let messages = try store.rows("PRAGMA integrity_check(20)") { $0.string(0) }
      for message in messages where message != "ok" { note(.damage, message) }
    } catch let error as SQLiteError {
      note(.damage, error.message)
    }
  }

  private mutating func checkModel(_ store: OpenedStore) {
    guard store.hasModel else {
      note(.model, "The file contains no model (Z_MODELCACHE), so its rows can't be checked.")
      return
    }
    let metadata = store.schema.modelMetadata
    let made = VersionHashes(store.model)
    for entity in store.model.entities {
      // How derived attributes are hashed is not known.
      if store.model.properties(of: entity.name).contains(where: { $0.attribute?.isDerived == true }
      ) {
        continue
      }
      if metadata?.versionHashes[entity.name] != made.byEntity[entity.name] {
        note(.model, "The version hash of \(entity.name) does not match its model.")
      }
    }
    var renumbered: [String] = []
    for (name, number) in store.model.freshNumbers.sorted(by: { $0.value < $1.value }) {
      guard let listed = store.schema.entitiesByName[name]?.number else {
        note(.model, "Z_PRIMARYKEY does not list \(name) (number \(number) in the model).")
        continue
      }
      if listed != number { renumbered.append("\(name) has \(listed) instead of \(number)") }
    }
    if renumbered.isEmpty { return }
    note(
      .model,
      "The entity numbers do not follow from the model, so Apple's framework would take rows for those of "
        + "other entities: \(renumbered.joined(separator: ", ")). The next migration corrects them, or a "
        + "copy into a new file (`StoreCopy`, `swiftdata copy`).")
  }

  private mutating func checkTables(_ store: OpenedStore) throws {
    for table in store.layout.tables {
      guard let columns = store.schema.columns[table.name] else {
        note(.table, "There is no table \(table.name).")
        continue
      }
      for column in table.columns where columns[column.name] != column.type.rawValue {
        let found = columns[column.name].map { "is declared \($0)" } ?? "is missing"
        note(
          .table,
          "The column \(column.name) of \(table.name) \(found), but the model has \(column.type.rawValue)."
        )
      }
    }
    for table in store.layout.joinTables where store.schema.columns[table.name] == nil {
      note(.table, "There is no table \(table.name).")
    }
    for index in store.layout.indexes {
      let isThere = store.schema.objects.contains(index.name)
      if index.isUnique {
        let columns = index.columns.map(\.name)
        if try store.connection.keepsUnique(Set(columns), in: index.table) { continue }
        guard isThere else {
          note(.table, "There is no index \(index.name).")
          continue
        }
        note(
          .table,
          "The index \(index.name) does not keep \(columns.joined(separator: ", ")) of \(index.table) unique. "
            + "Opening the store with its models makes it anew.")
      } else if !isThere {
        note(.table, "There is no index \(index.name).")
      }
    }
  }

  private mutating func checkRows(_ store: OpenedStore) throws {
    for table in store.layout.tables where store.schema.columns[table.name] != nil {
      let name = table.name.quotedName
      let hierarchy = store.model.subtree(of: table.root)
      let numbers = hierarchy.compactMap { store.layout.numbers[$0.name] }
      let list = numbers.map(String.init).joined(separator: ", ")
      try noteRows(
        .row, "FROM \(name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))", store
      ) { "\($0) rows of \(table.name) belong to no entity of the model" }
      try noteRows(.row, "FROM \(name) WHERE Z_OPT IS NULL OR Z_OPT < 1", store) {
        "\($0) rows of \(table.name) have no version (Z_OPT)"
      }
      let largest =
        try store.connection.integer("SELECT max(\(RowColumns.key)) FROM \(name)") ?? 0
      let last = store.schema.entitiesByName[table.root]?.lastKey ?? 0
      if largest > last {
        note(
          .row,
          "The last assigned key of \(table.root) is \(last), but \(table.name) has the key \(largest)."
        )
      }
      for entity in hierarchy { try checkRequired(entity, name, store) }
    }
  }

  /// NaN is stored as null, so required floating-point numbers may be null.
  private mutating func checkRequired(
    _ entity: EntityDescription, _ table: String, _ store: OpenedStore
  ) throws {
    let numbers = store.model.subtree(of: entity.name).compactMap { store.layout.numbers[$0.name] }
    let list = numbers.map(String.init).joined(separator: ", ")
    for attribute in entity.properties.compactMap(\.attribute)
    where !attribute.isOptional && !attribute.isTransient && attribute.type != .composite
      && attribute.type.columnType != .float
    {
      guard let column = store.layout.column(attribute.name, of: entity.name),
        store.schema.columns[store.layout.table(of: entity.name)]?[column.name] != nil
      else { continue }
      try noteRows(
        .row, "FROM \(table) WHERE Z_ENT IN (\(list)) AND \(column.name.quotedName) IS NULL", store
      ) { "\($0) rows have no \(entity.name).\(attribute.name), which is required" }
    }
  }

  private mutating func checkLinks(_ store: OpenedStore) throws {
    for table in store.layout.tables {
      for column in table.columns where column.isKey {
        guard store.schema.columns[table.name]?[column.name] != nil,
          let (_, property) = store.model.property(column.id.property, of: column.id.entity),
          let relationship = property.relationship
        else { continue }
        // An owner's key refers to the entity that declares the relationship.
        let target = column.id.part == .owner ? column.id.entity : relationship.destination
        try checkKeys(
          table.name, column.name, to: target, "\(column.id.entity).\(property.name)", store)
        try checkBothSides(column, relationship, of: table.name, store)
      }
    }
    for entity in store.model.entities {
      for relationship in entity.properties.compactMap(\.relationship) {
        guard let side = store.layout.joinSide(relationship.name, of: entity.name),
          store.schema.columns[side.table.name] != nil
        else { continue }
        try checkKeys(
          side.table.name, side.memberColumn, to: relationship.destination,
          "\(entity.name).\(relationship.name)", key: side.ownerColumn, store)
      }
    }
  }

  /// - Parameter key: The column with the keys of the rows that have the relationship.
  private mutating func checkKeys(
    _ table: String, _ column: String, to entity: String, _ property: String,
    key: String = RowColumns.key, _ store: OpenedStore
  ) throws {
    let destination = store.layout.table(of: entity)
    guard store.schema.columns[destination] != nil else { return }
    let link = "a.\(column.quotedName)"
    try noteRows(
      .link,
      """
      FROM \(table.quotedName) AS a WHERE \(link) IS NOT NULL \
      AND NOT EXISTS \
      (SELECT 1 FROM \(destination.quotedName) AS b WHERE b.\(RowColumns.key) = \(link))
      """, key: "a.\(key.quotedName)", store
    ) { "\($0) links of \(property) refer to missing rows" }
  }

  /// If both a relationship and its inverse are to-one, both rows must refer to each other.
  private mutating func checkBothSides(
    _ column: StoreLayout.Column, _ relationship: RelationshipDescription, of table: String,
    _ store: OpenedStore
  ) throws {
    guard let name = relationship.inverse,
      let (owner, found) = store.model.property(name, of: relationship.destination),
      found.relationship?.isToMany == false,
      let inverse = store.layout.column(name, of: owner.name)?.name
    else { return }
    let destination = store.layout.table(of: relationship.destination)
    guard store.schema.columns[destination]?[inverse] != nil else { return }
    try noteRows(
      .link,
      """
      FROM \(table.quotedName) AS a JOIN \(destination.quotedName) AS b \
      ON b.\(RowColumns.key) = a.\(column.name.quotedName) \
      WHERE b.\(inverse.quotedName) IS NOT a.\(RowColumns.key)
      """, key: "a.\(RowColumns.key)", store
    ) {
      "\($0) links of \(column.id.entity).\(relationship.name) refer to rows whose \(name) does not refer "
        + "back"
    }
  }

  // MARK: Rows

  /// Reports rows, with the keys of the first few.
  /// - Parameters:
  ///   - origin: The clauses that select the rows: `FROM ZTRIP WHERE …`.
  ///   - text: Makes the sentence for a number of rows, without its end.
  private mutating func noteRows(
    _ kind: Problem.Kind, _ origin: String, key: String = RowColumns.key, _ store: OpenedStore,
    _ text: (Int64) -> String
  ) throws {
    guard let count = try store.connection.integer("SELECT count(*) \(origin)"), count > 0
    else { return }
    let limit = StoreCheckup.namedRows
    let keys = try store.rows("SELECT \(key) \(origin) ORDER BY 1 LIMIT \(limit)") {
      "p\($0.int64(0))"
    }
    let more = count > Int64(limit) ? ", …" : ""
    note(kind, "\(text(count)) (\(keys.joined(separator: ", "))\(more)).")
  }

  /// The maximum number of rows that a problem names.
  private static let namedRows = 5

  /// Checks the types of values, because SQLite accepts any value in any column.
  private mutating func checkValues(_ store: OpenedStore) throws {
    for table in store.layout.tables {
      for column in table.columns where store.schema.columns[table.name]?[column.name] != nil {
        let name = column.name.quotedName
        let property = ([column.id.entity, column.id.property] + column.id.path)
          .joined(separator: ".")
        // Values that may be stored in files, including texts, are blobs with a tag.
        if store.schema.modelMetadata?.externalAttributes?.contains(property) == true { continue }
        let types = column.type.storageClasses.map { "'\($0)'" }.joined(separator: ", ")
        try noteRows(
          .row, "FROM \(table.name.quotedName) WHERE typeof(\(name)) NOT IN ('null', \(types))",
          store
        ) { "\($0) rows have a value of another type in \(property)" }
        guard store.isUUID(column.id) else { continue }
        try noteRows(
          .row,
          """
          FROM \(table.name.quotedName) WHERE typeof(\(name)) = 'blob' AND length(\(name)) <> 16
          """, store
        ) { "\($0) rows have a UUID in \(property) that does not have 16 bytes" }
      }
    }
  }

  // MARK: History

  private mutating func checkHistory(_ store: OpenedStore) throws {
    let listed = store.schema.entitiesByNumber
    for entity in HistoryTables.Entity.allCases where store.schema.columns[entity.table] != nil {
      let largest =
        try store.connection.integer("SELECT max(\(RowColumns.key)) FROM \(entity.table)") ?? 0
      guard let last = listed[entity.rawValue]?.lastKey else {
        // Files get these entries with their first transaction.
        if largest > 0 {
          note(
            .history,
            "Z_PRIMARYKEY does not list \(entity.name) (number \(entity.rawValue)), and \(entity.table) has "
              + "the key \(largest).")
        }
        continue
      }
      if largest > last {
        note(
          .history,
          "The last assigned key of \(entity.name) is \(last), but \(entity.table) has the key \(largest)."
        )
      }
    }
    guard HistoryTables(in: store.schema.columns) != nil else { return }
    typealias Change = HistoryTables.Change
    let (changes, transactions) = (
      HistoryTables.Entity.change.table, HistoryTables.Entity.transaction.table
    )
    try noteRows(
      .history,
      """
      FROM \(changes) AS a WHERE NOT EXISTS (SELECT 1 FROM \(transactions) AS b \
      WHERE b.\(RowColumns.key) = a.\(Change.transaction))
      """, key: "a.\(RowColumns.key)", store
    ) { "\($0) changes of the history belong to no transaction" }
    try checkChangedRows(store)
    for column in HistoryTables.Transaction.texts {
      try noteRows(
        .history,
        """
        FROM \(transactions) AS a WHERE a.\(column) IS NOT NULL AND NOT EXISTS \
        (SELECT 1 FROM \(HistoryTables.Entity.text.table) AS b \
        WHERE b.\(RowColumns.key) = a.\(column))
        """, key: "a.\(RowColumns.key)", store
      ) { "\($0) transactions of the history refer to a missing text (\(column))" }
    }
  }

  /// A change must have an entity of the file, or one that a migration has removed.
  private mutating func checkChangedRows(_ store: OpenedStore) throws {
    let removed = store.schema.modelMetadata?.removedEntities ?? [:]
    let known = Set(store.schema.entities.map(\.number)).union(removed.keys)
    let list = known.sorted().map(String.init).joined(separator: ", ")
    let entity = HistoryTables.Change.entity
    try noteRows(
      .history,
      """
      FROM \(HistoryTables.Entity.change.table) WHERE \(entity) IS NULL OR \(entity) NOT IN (\(list))
      """, store
    ) { "\($0) changes of the history belong to no entity of the file" }
  }

  private mutating func noteFiles(_ files: ExternalFilesCheck) {
    for missing in files.missing {
      note(
        .missingFile,
        "The row p\(missing.key) of \(missing.table) names the file \(missing.name) "
          + "(\(missing.column)), which does not exist.")
    }
    for orphan in files.orphans {
      note(
        .orphanedFile,
        "No row names \(orphan.file.lastPathComponent) (\(orphan.byteCount) bytes).")
    }
  }
}

extension StoreCheckup.Problem: CustomStringConvertible {
  /// The kind and the text of the problem.
  public var description: String { "\(kind.rawValue): \(text)" }
}

extension ColumnType {
  /// The storage classes that SQLite may use for the type: numbers without a fraction become
  /// integers, decimal numbers that it can't represent exactly become texts, which this library stores as
  /// blobs.
  fileprivate var storageClasses: [String] {
    switch self {
    case .integer: ["integer"]
    case .float, .timestamp: ["real", "integer"]
    case .decimal: ["real", "integer", "text", "blob"]
    case .varchar: ["text"]
    case .blob: ["blob"]
    }
  }
}

extension StoreLayout.ColumnID {
  /// The path of names from a composite to the column.
  fileprivate var path: [String] { if case .leaf(let path) = part { path } else { [] } }
}

extension OpenedStore {
  /// Whether a column stores UUIDs as bytes.
  fileprivate func isUUID(_ id: StoreLayout.ColumnID) -> Bool {
    guard let attribute = model.property(id.property, of: id.entity)?.property.attribute else {
      return false
    }
    return attribute.leaves.first { $0.path == id.path }?.attribute.type == .uuid
  }
}
