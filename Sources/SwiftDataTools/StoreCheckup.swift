public import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData

/// What is wrong with a store file.
///
/// Of any store file, those of Apple's SwiftData and Core Data included. Nothing is written.
///
/// ```swift
/// let checkup = try StoreCheckup(of: URL(filePath: "/data/trips.store"))
/// for problem in checkup.problems { print(problem) }
/// ```
public struct StoreCheckup: Codable, Hashable, Sendable {
  /// One thing that is wrong.
  public struct Problem: Codable, Hashable, Sendable {
    /// What kind of thing it is.
    public enum Kind: String, Codable, Hashable, Sendable {
      /// SQLite finds the file damaged.
      case damage
      /// The file does not say which model it holds, or its hashes are not those of its model.
      case model
      /// A table, column or index of the model is not there.
      case table
      /// Rows of no entity, keys beyond the last one given, missing or repeated values.
      case row
      /// A relationship leads to a row that is not there.
      case link
      /// A row names a file that is not there.
      case missingFile
      /// A file that no row names.
      case orphanedFile
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// What it is, with names and counts, and without stored values.
    public let text: String
  }

  /// The location of the file.
  public let path: String
  /// In the order in which the parts of a file are looked at.
  public private(set) var problems: [Problem] = []

  /// Looks a store file through: every page, and every row once per relationship.
  /// - Parameter url: The file.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason for a file that is no store, or that
  ///   can't be read though it is not damaged.
  public init(of url: URL) throws {
    path = url.path
    let store: OpenedStore
    do {
      store = try OpenedStore(url)
    } catch {
      guard let damage = StoreCheckup.damage(error, url) else { throw error }
      note(.damage, damage)
      return
    }
    try checkPages(store)
    // Rows of a damaged file answer no question.
    if problems.contains(where: { $0.kind == .damage }) { return }
    checkModel(store)
    try checkTables(store)
    try checkRows(store)
    try checkLinks(store)
    try checkFiles(store)
  }

  /// What is damaged, where an error of opening tells of damage.
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
      note(.model, "The file does not hold its model (Z_MODELCACHE), so its rows can't be judged.")
      return
    }
    let metadata = store.schema.modelMetadata
    let made = VersionHashes(store.model)
    for entity in store.model.entities {
      // How derived attributes count is not known.
      if store.model.properties(of: entity.name).contains(where: { $0.attribute?.isDerived == true }
      ) {
        continue
      }
      if metadata?.versionHashes[entity.name] != made.byEntity[entity.name] {
        note(.model, "The version hash of \(entity.name) is not that of its model.")
      }
    }
    for (name, number) in store.model.freshNumbers.sorted(by: { $0.value < $1.value })
    where store.schema.entitiesByName[name] == nil {
      note(.model, "Z_PRIMARYKEY does not list \(name) (number \(number) by the model).")
    }
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
          "The column \(column.name) of \(table.name) \(found), the model says \(column.type.rawValue)."
        )
      }
    }
    for table in store.layout.joinTables where store.schema.columns[table.name] == nil {
      note(.table, "There is no table \(table.name).")
    }
    for index in store.layout.indexes where !store.schema.objects.contains(index.name) {
      note(.table, "There is no index \(index.name).")
    }
  }

  private mutating func checkRows(_ store: OpenedStore) throws {
    for table in store.layout.tables where store.schema.columns[table.name] != nil {
      let name = table.name.quotedName
      let hierarchy = store.model.subtree(of: table.root)
      let numbers = hierarchy.compactMap { store.layout.numbers[$0.name] }
      let list = numbers.map(String.init).joined(separator: ", ")
      let strangers = try store.connection.integer(
        "SELECT count(*) FROM \(name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))")
      if let strangers, strangers > 0 {
        note(.row, "\(strangers) rows of \(table.name) are of no entity of the model.")
      }
      let largest = try store.connection.integer("SELECT max(Z_PK) FROM \(name)") ?? 0
      let last = store.schema.entitiesByName[table.root]?.lastKey ?? 0
      if largest > last {
        note(
          .row,
          "The last key given to \(table.root) is \(last), and \(table.name) has the key \(largest)."
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
      let empty = try store.connection.integer(
        """
        SELECT count(*) FROM \(table) WHERE Z_ENT IN (\(list)) \
        AND \(column.name.quotedName) IS NULL
        """)
      if let empty, empty > 0 {
        note(.row, "\(empty) rows have no \(entity.name).\(attribute.name), which is required.")
      }
    }
  }

  private mutating func checkLinks(_ store: OpenedStore) throws {
    for table in store.layout.tables {
      for column in table.columns where column.isKey {
        guard store.schema.columns[table.name]?[column.name] != nil,
          let (_, property) = store.model.property(column.id.property, of: column.id.entity),
          let relationship = property.relationship
        else { continue }
        // The key of an owner leads to the entity that declares the relationship.
        let target = column.id.part == .owner ? column.id.entity : relationship.destination
        try checkKeys(
          table.name, column.name, to: target, "\(column.id.entity).\(property.name)", store)
      }
    }
    for entity in store.model.entities {
      for relationship in entity.properties.compactMap(\.relationship) {
        guard let side = store.layout.joinSide(relationship.name, of: entity.name),
          store.schema.columns[side.table.name] != nil
        else { continue }
        try checkKeys(
          side.table.name, side.memberColumn, to: relationship.destination,
          "\(entity.name).\(relationship.name)", store)
      }
    }
  }

  private mutating func checkKeys(
    _ table: String, _ column: String, to entity: String, _ property: String,
    _ store: OpenedStore
  ) throws {
    let destination = store.layout.table(of: entity)
    guard store.schema.columns[destination] != nil else { return }
    let key = column.quotedName
    let count = try store.connection.integer(
      """
      SELECT count(*) FROM \(table.quotedName) AS a WHERE a.\(key) IS NOT NULL \
      AND NOT EXISTS (SELECT 1 FROM \(destination.quotedName) AS b WHERE b.Z_PK = a.\(key))
      """)
    if let count, count > 0 {
      note(.link, "\(count) links of \(property) lead to rows that are not there.")
    }
  }

  private mutating func checkFiles(_ store: OpenedStore) throws {
    let files = try ExternalFilesCheck(of: store.url, through: store.connection)
    for missing in files.missing {
      note(
        .missingFile,
        "The row p\(missing.key) of \(missing.table) names the file \(missing.name) "
          + "(\(missing.column)), which is not there.")
    }
    for orphan in files.orphans {
      note(
        .orphanedFile,
        "No row names \(orphan.file.lastPathComponent) (\(orphan.byteCount) bytes).")
    }
  }
}

extension StoreCheckup.Problem: CustomStringConvertible {
  /// The kind and the text.
  public var description: String { "\(kind.rawValue): \(text)" }
}
