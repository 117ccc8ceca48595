import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import Synchronization

/// Keeps a store from being used with a mapping that is out of date, after another process or container
/// has migrated the file. `StoreFile` begins it; the connections tell when tables may have changed.
///
/// What others add does not matter: indexes, columns of their own, entities of other hierarchies. The numbers
/// and version hashes of the entities in the hierarchies of the models must be those of the opening.
final class StoreWatch: Sendable {
  /// The store is not the one any more that was opened.
  struct Migrated: Error {}

  private struct Entity: Hashable {
    let number: Int
    let superNumber: Int
    let hash: Data?
    /// Where the file has no hashes: the columns of its table.
    let columns: [String: String]
  }

  private let roots: Set<String>
  private let entities: [String: Entity]
  /// The number of the tables that were last found to fit.
  private let knownVersion = Mutex<Int64?>(nil)

  /// - Parameter stored: What the file said when it was mapped.
  init(_ stored: StoredSchema, _ mapping: SchemaMapping) {
    let numbers = stored.entitiesByNumber
    roots = Set(
      mapping.entities.compactMap { StoreWatch.root(of: numbers[$0.number], numbers)?.name })
    entities = StoreWatch.entities(of: stored, below: roots)
  }

  /// Looks at the file once, and from then on whenever its tables have changed.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` where it was migrated while it was opened, or
  ///   `SQLiteError`.
  func begin(_ pool: ConnectionPool) throws {
    do {
      try pool.watchSchema { try self.check($0) }
    } catch is Migrated {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The store at \(pool.path) was migrated by another process or container while it was opened. "
          + "Open it again.", doing: "opening a store")
    }
  }

  private func check(_ connection: Connection) throws {
    let version = try connection.schemaVersion
    if knownVersion.withLock({ $0 }) == version { return }
    guard let stored = try StoredSchema.read(connection),
      StoreWatch.entities(of: stored, below: roots) == entities
    else { throw Migrated() }
    knownVersion.withLock { $0 = version }
  }

  private static func entities(
    of stored: StoredSchema, below roots: Set<String>
  ) -> [String: Entity] {
    let numbers = stored.entitiesByNumber
    let hashes = stored.modelMetadata?.versionHashes ?? [:]
    var entities: [String: Entity] = [:]
    for entity in stored.entities {
      guard let root = root(of: entity, numbers)?.name, roots.contains(root) else { continue }
      entities[entity.name] = Entity(
        number: entity.number, superNumber: entity.superNumber, hash: hashes[entity.name],
        columns: hashes.isEmpty ? stored.columns["Z" + root.uppercased()] ?? [:] : [:])
    }
    return entities
  }

  private static func root(
    of entity: StoredSchema.Entity?, _ numbers: [Int: StoredSchema.Entity]
  ) -> StoredSchema.Entity? {
    var root = entity
    // A damaged table may lead in a circle.
    for _ in 0..<numbers.count {
      guard let parent = root.flatMap({ numbers[$0.superNumber] }) else { break }
      root = parent
    }
    return root
  }
}

extension StoreWatch.Migrated {
  private static let advice =
    "was migrated by another process or container since it was opened: its tables are those of other "
    + "models. Open it anew with those models"

  static func whileReading(_ url: URL) -> any Error {
    SwiftDataError.storeReadFailure.with(
      "The store at \(url.path) \(advice).", doing: "reading rows")
  }

  static func whileWriting(_ url: URL, else consequence: String) -> any Error {
    SwiftDataError.storeWriteFailure.with(
      "The store at \(url.path) \(advice); \(consequence).", doing: "beginning the transaction")
  }
}
